// End-of-turn hooks.

/// Called on the loop's thread at the end of a turn, if it was registered in that turn.
package protocol TurnEndHandler: AnyObject {
    /// The turn's work is done, and the loop has not waited yet.
    func turnEnded()
}

/// An end-of-turn hook.
enum TurnEnd {
    case function(() -> Void)
    case handler(any TurnEndHandler)
}
