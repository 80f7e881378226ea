// What an answer waits for, in words.

package import ChatClient

/// The phase of an answer that has no text yet.
package enum AnswerPhase {
    /// For example "queue position 3, about 12 s"; nil if the change says nothing of a phase.
    package static func text(for change: ConversationView.Change) -> String? {
        switch change {
        case .queued(_, let position, let eta):
            let time = eta.map { ", about \(ChatTranscript.span($0))" } ?? ""
            return "queue position \(position)\(time)"
        case .progressed(_, let done, let total) where total > 0:
            return "reading \(done * 100 / total) % of the prompt"
        case .started: return "reading the prompt"
        default: return nil
        }
    }
}
