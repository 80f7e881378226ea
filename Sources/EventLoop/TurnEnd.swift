// What a loop does when a turn's work is done.

/// Is told, on the loop's thread, when the turn in which it asked for that is done.
package protocol TurnEndHandler: AnyObject {
    /// The turn's work is done, and the loop has not waited again.
    func turnEnded()
}

/// One thing to do at a turn's end.
enum TurnEnd {
    case function(() -> Void)
    case handler(any TurnEndHandler)
}
