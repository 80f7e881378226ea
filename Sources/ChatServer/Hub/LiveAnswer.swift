// The text of a running answer, and how much of it has gone out. Deltas go out of memory; the database gets
// checkpoints a few times a second, and the whole text with the answer's end.

package import ChatProtocol

/// A growing answer.
package struct LiveAnswer {
    package let conversation: ConversationID
    package let message: MessageID
    package let run: RunID
    /// The UTF-8 bytes of the whole text so far.
    package private(set) var bytes: [UInt8] = []
    /// How many of them every subscriber that keeps up has been sent.
    package private(set) var sentCount = 0
    /// Whether its final state is stored, and only its publication remains.
    var hasEnded = false
    /// The number of the event that created the message: nothing of the answer is sent before that.
    let createdN: Int64
    /// Where this run began.
    private let start: Int
    /// Where this run resumed from an earlier one's text; nil where there was none.
    private let base: Int?

    /// A growing answer.
    /// - Parameters:
    ///   - conversation: where.
    ///   - message: the answer.
    ///   - run: the run that generates it.
    ///   - text: what there is of it; every subscriber has that already.
    ///   - base: the byte up to which readers' texts are right whichever run they are of, where there
    ///     was an earlier run; nil where there was none.
    ///   - createdN: the number of the event that created the message; 0 where all know of it.
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

    /// Whether nothing of this run has gone out yet: the first text does not wait to be merged.
    var isFirst: Bool { sentCount == start }

    /// The text for a reader that has `count` bytes, of this run or an earlier one: it makes the
    /// reader's first `at` bytes whole.
    package func rest(after count: Int) -> MessageDelta {
        delta(from: min(count, base ?? .max), to: bytes.count)
    }

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
