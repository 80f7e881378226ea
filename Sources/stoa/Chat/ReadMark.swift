// Where what is new begins.

package import ChatProtocol
package import TerminalText

/// The line above the first message that the reader has not read.
package enum ReadMark {
    /// The first new message.
    /// - Parameters:
    ///   - messages: the visible branch, oldest first.
    ///   - user: the reader.
    ///   - unread: how many messages of others are new.
    /// - Returns: nil if none is new, or all are.
    package static func firstNew(
        in messages: [Message],
        for user: UserID,
        unread: Int
    ) -> MessageID? {
        let others = messages.filter { $0.author?.id != user }
        guard unread > 0, unread <= others.count else { return nil }
        let first = others[others.count - unread].id
        return first == messages.first?.id ? nil : first
    }

    /// The line.
    package static func line(width: Int) -> StyledLine {
        let rule = String(repeating: "─", count: max((min(width, 60) - 5) / 2, 1))
        return StyledLine("\(rule) new \(rule)", Style(color: .red))
    }
}
