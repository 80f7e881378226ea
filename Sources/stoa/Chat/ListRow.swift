// A row of `/list`.

package import ChatProtocol
import TerminalText

extension ChatTranscript {
    /// For example "2. Tea (ada, bo) · 3 unread, @you · answering".
    package static func listRow(
        _ conversation: Conversation,
        number: Int,
        isOpen: Bool
    ) -> String {
        let title = conversation.title.isEmpty ? "new conversation" : conversation.title
        let names = conversation.members.map(\.user.name).joined(separator: ", ")
        var row = "\(number). \(title) (\(names))"
        if conversation.pinned == true { row += " · pinned" }
        if isOpen {
            row += " · open"
        } else if let unread = conversation.unread, unread > 0 {
            row += " · \(unread) unread"
            if conversation.mentions != nil { row += ", @you" }
        }
        if let running = conversation.running, running > 0 { row += " · answering" }
        return TerminalSanitizer.clean(row)
    }
}
