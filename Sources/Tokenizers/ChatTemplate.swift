// Chat templates render a conversation as the prompt format that the model was trained on. They use
// a small part of Jinja: loops over messages, conditions, and concatenation.

/// The chat template of a model folder.
public struct ChatTemplate: Sendable {
    /// The treatment of special tokens in the contents of messages.
    public enum ContentTreatment: Sendable {
        /// Plain text: only the template's own special tokens are parsed, so no message can forge a
        /// turn.
        case asText
        /// As in the reference, which does not distinguish contents from the template's text. Only
        /// for comparison: not safe for untrusted texts.
        case likeReference
    }

    /// The template's text.
    public let source: String
    /// The file in error messages: a path, or a name for a template without a file.
    public let path: String
    let nodes: [TemplateNode]
    let tokenizer: Tokenizer

    /// Parses a template.
    ///
    /// - Parameters:
    ///   - source: Jinja, rendered with trim_blocks and lstrip_blocks on.
    ///   - tokenizer: Of the same model.
    ///   - bosToken: The value of `bos_token`.
    ///   - eosToken: The value of `eos_token`.
    ///   - path: The file in error messages.
    /// - Throws: `.template` at the first unsupported construct.
    public init(
        _ source: String,
        tokenizer: Tokenizer,
        bosToken: String,
        eosToken: String,
        path: String
    ) throws(TokenizerError) {
        self.tokenizer = tokenizer
        self.source = source
        self.path = path
        do throws(TemplateSyntaxError) {
            let variables = TemplateParser.Variables(bosToken: bosToken, eosToken: eosToken)
            nodes = try TemplateParser.parse(source, variables)
        } catch {
            throw .template(
                path: path,
                line: error.line,
                word: error.word,
                reason: error.reason
            )
        }
    }

    /// The prompt as text, exactly as the reference renders it.
    public func render(_ messages: [ChatMessage], addGenerationPrompt: Bool) -> String {
        segments(messages, addGenerationPrompt: addGenerationPrompt).map(\.text).joined()
    }

    /// The prompt in segments with their origin.
    public func segments(
        _ messages: [ChatMessage],
        addGenerationPrompt: Bool
    ) -> [ChatSegment] {
        TemplateRendering.segments(nodes, messages, addGenerationPrompt: addGenerationPrompt)
    }

    /// The prompt as tokens.
    ///
    /// For contents without the text of an added token both treatments give the reference's result,
    /// including the white space at the borders of a content: it is removed next to a special token
    /// that strips it, as in training.
    /// - Parameters:
    ///   - messages: The conversation, oldest message first.
    ///   - addGenerationPrompt: Whether the prompt ends with the start of the assistant's answer.
    ///   - contents: How to treat special tokens in contents.
    /// - Returns: The tokens, and the number of tokens of each message.
    public func encode(
        _ messages: [ChatMessage],
        addGenerationPrompt: Bool,
        contents: ContentTreatment = .asText
    ) -> EncodedChat {
        let layout = PromptLayout(
            segments(messages, addGenerationPrompt: addGenerationPrompt),
            contents
        )
        var encoding = TextEncoding(tokenizer)
        encoding.encode(layout.text, findingTokensIn: layout.scaffolds)
        return EncodedChat(
            tokens: encoding.tokens,
            messageTokenCounts: Self.counts(encoding, layout.owners, messageCount: messages.count)
        )
    }

    /// Assigns the tokens between two marks to the message in which they start.
    private static func counts(
        _ encoding: TextEncoding,
        _ owners: [(start: Int, message: Int?)],
        messageCount: Int
    ) -> [Int] {
        var counts = [Int](repeating: 0, count: messageCount)
        var owner = 0
        for (index, mark) in encoding.marks.enumerated() {
            while owner + 1 < owners.count, owners[owner + 1].start <= mark.offset { owner += 1 }
            let end =
                index + 1 < encoding.marks.count
                ? encoding.marks[index + 1].tokenCount : encoding.tokens.count
            if let message = owners[owner].message { counts[message] += end - mark.tokenCount }
        }
        return counts
    }
}

/// A rendered prompt as one text, with the ranges of its segments.
struct PromptLayout {
    /// The whole text, UTF-8.
    private(set) var text: [UInt8] = []
    /// The ranges in bytes in which special tokens are parsed; adjacent ones are joined.
    private(set) var scaffolds: [Range<Int>] = []
    /// The start of each segment and its message.
    private(set) var owners: [(start: Int, message: Int?)] = []

    init(_ segments: [ChatSegment], _ contents: ChatTemplate.ContentTreatment) {
        for segment in segments {
            let start = text.count
            text.append(contentsOf: segment.text.utf8)
            owners.append((start, segment.message))
            guard segment.source == .scaffold || contents == .likeReference else { continue }
            if let last = scaffolds.last, last.upperBound == start {
                scaffolds[scaffolds.count - 1] = last.lowerBound..<text.count
            } else {
                scaffolds.append(start..<text.count)
            }
        }
    }
}
