// From a conversation to the prompt that the model was trained on. Templates are a small part of
// Jinja: loops over messages, choices, and texts joined together.

/// The chat template of a model folder.
public struct ChatTemplate: Sendable {
    /// What special tokens mean in the contents of messages.
    public enum ContentTreatment: Sendable {
        /// Nothing: only the template's own special tokens become special tokens, so no message can
        /// forge a turn.
        case asText
        /// What they mean to the reference, which cannot tell a message from its scaffolding. For
        /// comparison, not for texts of others.
        case likeReference
    }

    /// The template's text.
    public let source: String
    /// What errors call its file: a path, or a name for a template that stands in none.
    public let path: String
    let nodes: [TemplateNode]
    let tokenizer: Tokenizer

    /// The template with the text `source`.
    ///
    /// - Parameters:
    ///   - source: Jinja, rendered with trim_blocks and lstrip_blocks on.
    ///   - tokenizer: Of the same model.
    ///   - bosToken: The value of `bos_token`.
    ///   - eosToken: The value of `eos_token`.
    ///   - path: What errors call the template's file.
    /// - Throws: `.template` at the first construct that we do not know.
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

    /// The prompt in stretches that say where they come from.
    public func segments(
        _ messages: [ChatMessage],
        addGenerationPrompt: Bool
    ) -> [ChatSegment] {
        TemplateRendering.segments(nodes, messages, addGenerationPrompt: addGenerationPrompt)
    }

    /// The prompt as tokens.
    ///
    /// For contents without the text of an added token both treatments give what the reference
    /// gives. That includes the white space at the borders of a content: next to a special token
    /// that swallows white space it disappears, since the model never saw any there.
    /// - Parameters:
    ///   - messages: The conversation, oldest message first.
    ///   - addGenerationPrompt: Whether the prompt ends where the assistant's answer begins.
    ///   - contents: Whether special tokens in contents are text.
    /// - Returns: The tokens, and how many belong to each message.
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

    /// Gives the tokens of each stretch between special tokens to the message in which it begins.
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

/// A rendered prompt as one text, with what is known of its stretches.
struct PromptLayout {
    /// The whole text, UTF-8.
    private(set) var text: [UInt8] = []
    /// Where special tokens are meant, in bytes; neighbours are joined.
    private(set) var scaffolds: [Range<Int>] = []
    /// Where each segment begins, and the message that it belongs to.
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
