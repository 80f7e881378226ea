// Finds the thinking part of an answer while its text arrives. A value: text in, pieces out. What the
// parts are depends on the whole text and on nothing else, not on how it was split on its way.
//
//     <think>I add them.</think>\n\nIt is 4.
//     opening thinking   closing       answer
//
// The tags and the white space after the closing tag belong to neither part. A text that does not begin
// with the opening tag is an answer; without a closing tag, all after the opening tag is thinking.

/// Splits a growing answer into its thinking part and the rest.
public struct ThinkingSplitter: Sendable {
    /// A part of an answer.
    public enum Part: Sendable, Hashable {
        /// What the model thinks before it answers.
        case thinking
        /// What it answers.
        case answer
    }

    /// Some text of a part.
    public struct Piece: Sendable, Hashable {
        /// The part.
        public var part: Part
        /// The text; never empty.
        public var text: String
        /// The UTF-8 bytes of the whole text before it, tags included.
        public var at: Int

        /// Creates a piece.
        public init(_ part: Part, _ text: String, at: Int) {
            self.part = part
            self.text = text
            self.at = at
        }
    }

    /// How far it is.
    private enum Phase {
        /// The text so far is a beginning of the opening tag.
        case opening
        case thinking
        /// The closing tag is complete, and no other text has followed.
        case closed
        case answer
    }

    private static let opening = Array(ThinkingTags.opening.utf8)
    private static let closing = Array(ThinkingTags.closing.utf8)

    private var phase = Phase.opening
    /// Text that may be the beginning of a tag.
    private var held: [UInt8] = []
    /// The bytes before `held`.
    private var passedCount = 0

    /// A splitter at the beginning of an answer.
    public init() {}

    /// Whether the text so far ends in the thinking part.
    public var isThinking: Bool { phase == .thinking }

    /// Whether the text so far says if there is a thinking part.
    public var isDecided: Bool { phase != .opening }

    /// Whether the text so far has a thinking part, open or closed.
    public private(set) var hasThinking = false

    /// Reads more of the answer.
    /// - Returns: what is known to belong to a part, in order. At most the beginning of a tag is held
    ///   back.
    public mutating func append(_ text: some StringProtocol) -> [Piece] {
        var pieces: [Piece] = []
        held.append(contentsOf: text.utf8)
        while advance(&pieces) {}
        return pieces
    }

    /// Ends the answer.
    /// - Returns: what was held back.
    public mutating func finish() -> [Piece] {
        var pieces: [Piece] = []
        switch phase {
        case .opening, .answer: take(held.count, .answer, &pieces)
        case .thinking: take(held.count, .thinking, &pieces)
        case .closed: break
        }
        return pieces
    }

    /// Does what can be done in the current phase; returns whether the next one has begun.
    private mutating func advance(_ pieces: inout [Piece]) -> Bool {
        switch phase {
        case .opening:
            guard held.count >= Self.opening.count || !Self.opening.starts(with: held) else {
                return false
            }
            hasThinking = held.starts(with: Self.opening)
            if hasThinking { skip(Self.opening.count) }
            phase = hasThinking ? .thinking : .answer
            return true
        case .thinking:
            let (count, isTag) = Self.search(held)
            take(count, .thinking, &pieces)
            guard isTag else { return false }
            skip(Self.closing.count)
            phase = .closed
            return true
        case .closed:
            skip(held.prefix(while: ThinkingTags.isSpace).count)
            if held.isEmpty { return false }
            phase = .answer
            return true
        case .answer:
            take(held.count, .answer, &pieces)
            return false
        }
    }

    /// The bytes before the closing tag, or before a beginning of it at the end, and whether it is
    /// complete. Only the tag's first byte is a `<`, so a partial match begins nowhere else.
    private static func search(_ bytes: [UInt8]) -> (count: Int, isTag: Bool) {
        var start = 0
        while let next = bytes[start...].firstIndex(of: closing[0]) {
            let rest = bytes[next...]
            if rest.starts(with: closing) { return (next, true) }
            if closing.starts(with: rest) { return (next, false) }
            start = next + 1
        }
        return (bytes.count, false)
    }

    private mutating func take(_ count: Int, _ part: Part, _ pieces: inout [Piece]) {
        guard count > 0 else { return }
        let text = String(decoding: held[..<count], as: UTF8.self)
        pieces.append(Piece(part, text, at: passedCount))
        skip(count)
    }

    private mutating func skip(_ count: Int) {
        held.removeFirst(count)
        passedCount += count
    }
}
