// The text of an answer that grows, and how much of it has gone out. Memory only: the final text goes
// to the database with the answer's end.

package import ChatProtocol

/// A growing answer.
package struct LiveAnswer {
    package let conversation: ConversationID
    package let message: MessageID
    package let run: RunID
    /// The UTF-8 bytes of the whole text so far.
    package private(set) var bytes: [UInt8] = []
    /// How many of them every watcher that keeps up has been sent.
    package private(set) var sentCount = 0
    /// Whether its final state is stored, and only the telling of it remains.
    var hasEnded = false

    package init(conversation: ConversationID, message: MessageID, run: RunID) {
        self.conversation = conversation
        self.message = message
        self.run = run
    }

    /// Whether nothing has gone out yet: the first text does not wait to be merged.
    var isFirst: Bool { sentCount == 0 }

    package mutating func append(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    /// The text that has not gone out, or nil where all has; from then on it counts as sent.
    package mutating func takeUnsent() -> MessageDelta? {
        guard sentCount < bytes.count else { return nil }
        defer { sentCount = bytes.count }
        return delta(from: sentCount, to: bytes.count)
    }

    /// The text between two bytes, for a reader that has what is before it.
    ///
    /// Every piece ends on a whole character, and so does what any reader has: an offset from
    /// elsewhere that splits a character is moved back to the character's first byte.
    package func delta(from offset: Int, to end: Int) -> MessageDelta {
        var start = min(max(offset, 0), end)
        while start > 0, start < bytes.count, bytes[start] & 0xC0 == 0x80 { start -= 1 }
        return MessageDelta(
            conversation: conversation,
            message: message,
            run: run,
            at: start,
            to: end,
            text: String(decoding: bytes[start..<end], as: UTF8.self)
        )
    }
}
