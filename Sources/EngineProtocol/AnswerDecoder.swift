// Decodes a whole answer: the events of the stream, their order, and what the engine claims to have
// counted. A value; bytes in, text out.

/// Decodes the stream of one answer.
public struct AnswerDecoder: Sendable {
    /// The result of a complete answer.
    public struct Result: Sendable, Hashable {
        /// Why it ended.
        public var end: AnswerEnd
        /// What the engine counted; nil if it told nothing, or nothing that can be true.
        public var usage: TokenUsage?
        /// What is wrong with the engine's count; nil if nothing is.
        public var usageProblem: String?
    }

    /// A token's text has at most this many bytes: a longer answer has more tokens than allowed.
    private static let bytesPerTokenMax = 512
    /// Events with text beyond one for each token: what was held back is sent at the end.
    private static let extraEventsMax = 16

    private let dialect: EngineDialect
    private let promptTokens: Int?
    private let tokensMax: Int
    private var stream = EventStreamDecoder()
    private var usage: TokenUsage?
    private var end: AnswerEnd?
    private var byteCount = 0
    private var fields: ThinkingFields
    /// The number of events with text so far: a lower bound of the tokens generated.
    public private(set) var eventCount = 0
    /// Whether the answer is complete: the engine said so, and nothing more is to come.
    public private(set) var isComplete = false

    /// - Parameters:
    ///   - dialect: the form of the events.
    ///   - promptTokens: the number of token ids sent; nil if messages were sent.
    ///   - tokensMax: the maximum number of tokens that were asked for.
    ///   - isContinued: whether the answer has text already.
    ///   - isThinking: whether that text ends within its thinking part.
    public init(
        _ dialect: EngineDialect,
        promptTokens: Int?,
        tokensMax: Int,
        isContinued: Bool = false,
        isThinking: Bool = false
    ) {
        fields = ThinkingFields(isContinued: isContinued, isThinking: isThinking)
        self.dialect = dialect
        self.promptTokens = promptTokens
        self.tokensMax = tokensMax
    }

    /// Decodes the next bytes.
    /// - Returns: the text that they add; empty if none.
    /// - Throws: `EngineFault`.
    public mutating func receive(
        _ bytes: some Sequence<UInt8>
    ) throws(EngineFault) -> String {
        var text = ""
        for event in try stream.receive(bytes) where !isComplete {
            if event.type.elementsEqual("error".utf8) {
                throw .reported(AnswerChunk.reportedMessage(event.data))
            } else if event.data.elementsEqual("[DONE]".utf8) {
                guard end != nil else { throw .cut }
                isComplete = true
            } else {
                text += try take(try AnswerChunk(event.data, dialect))
            }
        }
        return text
    }

    private mutating func take(_ chunk: AnswerChunk) throws(EngineFault) -> String {
        if let usage = chunk.usage { self.usage = usage }
        if chunk.isContextFull, let promptTokens, usage?.promptTokens != promptTokens {
            throw AnswerChunk.leftOut
        }
        let text = fields.text(thinking: chunk.thinking, text: chunk.text)
        if !text.isEmpty {
            guard end == nil else { throw .malformed("text follows the end of the answer") }
            eventCount += 1
            byteCount += text.utf8.count
            let limit = tokensMax.multipliedReportingOverflow(by: Self.bytesPerTokenMax)
            guard eventCount <= tokensMax + Self.extraEventsMax,
                limit.overflow || byteCount <= limit.partialValue
            else {
                throw .tooLarge(.answer, byteLimit: limit.partialValue)
            }
        }
        if let end = chunk.end {
            self.end = end
            // llama-server sends no [DONE] in its own form.
            if dialect == .llama { isComplete = true }
        }
        return text
    }

    /// Whether the engine said why the answer ended; the usage may still follow.
    public var hasEnded: Bool { end != nil }

    /// The result, once the answer is complete or the stream has ended.
    /// - Throws: `.cut` if the answer has not ended.
    public func finish() throws(EngineFault) -> Result {
        guard let end else { throw .cut }
        let problem = usage.flatMap(problem)
        return Result(end: end, usage: problem == nil ? usage : nil, usageProblem: problem)
    }

    /// What cannot be true of a count; nil if all can.
    private func problem(_ usage: TokenUsage) -> String? {
        if let promptTokens, usage.promptTokens != promptTokens {
            return "\(usage.promptTokens) prompt tokens, where \(promptTokens) were sent"
        }
        guard usage.promptTokens >= 0, (0...usage.promptTokens).contains(usage.cachedTokens) else {
            return "\(usage.cachedTokens) of \(usage.promptTokens) prompt tokens cached"
        }
        // The token that ends the turn may count, though it has no text.
        guard (0...tokensMax).contains(usage.completionTokens) else {
            return "\(usage.completionTokens) tokens generated, where \(tokensMax) were allowed"
        }
        guard usage.completionTokens > 0 || eventCount == 0 else {
            return "no tokens generated, where there was text"
        }
        return nil
    }
}
