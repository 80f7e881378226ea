// The text of a running answer, and how much of it has been sent. Deltas are sent from memory; the
// database gets checkpoints a few times a second, and the whole text at the end.

package import ChatProtocol

/// A running answer.
package struct LiveAnswer {
    package let conversation: ConversationID
    package let message: MessageID
    package let run: RunID
    /// The UTF-8 bytes of the whole text so far.
    package private(set) var bytes: [UInt8] = []
    /// How many of them have been sent to every subscriber that is not behind.
    package private(set) var sentCount = 0
    /// Whether its end is stored and not yet published.
    var hasEnded = false
    /// The number of the event that created the message: nothing of the answer is sent before it.
    let createdN: Int64
    /// Where this run began, in bytes.
    private let start: Int
    /// Up to which byte the text comes from an earlier run; nil if there was none.
    private let base: Int?

    /// Creates the state of a running answer.
    /// - Parameters:
    ///   - conversation: its conversation.
    ///   - message: the answer.
    ///   - run: the run that generates it.
    ///   - text: the text so far, which every subscriber has already.
    ///   - base: up to which byte readers' texts are valid, whichever run they are from; nil if
    ///     there was no earlier run.
    ///   - createdN: the number of the event that created the message; 0 if all subscribers have
    ///     it.
    package init(
        conversation: ConversationID,
        message: MessageID,
        run: RunID,
        text: String = "",
        base: Int? = nil,
        createdN: Int64 = 0
    ) {
        self.conversation = conversation
        self.message = message
        self.run = run
        self.base = base
        self.createdN = createdN
        bytes = Array(text.utf8)
        sentCount = bytes.count
        start = bytes.count
    }

    /// Whether no text of this run has been sent: the first piece is sent without merging.
    var isFirst: Bool { sentCount == start }

    /// The text for a reader that has `count` bytes, from this run or an earlier one. It begins at
    /// the offset up to which the reader's text is valid.
    package func rest(after count: Int) -> MessageDelta {
        delta(from: min(count, base ?? .max), to: bytes.count)
    }

    package mutating func append(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    /// The unsent text, which counts as sent afterwards; nil if there is none.
    package mutating func takeUnsent() -> MessageDelta? {
        guard sentCount < bytes.count else { return nil }
        defer { sentCount = bytes.count }
        return delta(from: sentCount, to: bytes.count)
    }

    /// The text between two bytes, for a reader that has the text before them.
    ///
    /// Every piece ends on a character boundary, so a reader's text does too: a client's offset
    /// that splits a character is moved back to the character's first byte.
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
