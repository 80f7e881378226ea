// Encodes messages separately, so that a prompt can be built from the newest message back, and
// messages that do not fit are never tokenized. The tokens are those of encoding the whole
// conversation: a template or tokenizer for which that is not guaranteed has no parts.

public import Checkpoints

/// A chat template whose messages can be encoded separately.
///
/// This depends on the borders between messages: if a rendered message starts with an added token
/// that no earlier text can extend into, the text before that token and the text after it are
/// encoded separately in the whole conversation too. A token that strips the white space before it
/// only does so if there is some: then the text before it must not end with white space.
public struct ChatTemplateParts: Sendable {
    /// The tokens before all messages.
    public let opening: [TokenID]
    /// The tokens after them: the generation prompt.
    public let closing: [TokenID]
    /// Whether a message's tokens depend on whether it is the first or the last.
    public let dependsOnPosition: Bool
    /// The maximum number of bytes of a token.
    public let tokenByteCountMax: Int
    private let body: [TemplateNode]
    private let tokenizer: Tokenizer
    private let borders: Set<TokenID>
    /// Whether a border token strips white space before it.
    private let bordersStrip: Bool

    /// The parts of `template` with the generation prompt; nil if messages depend on their
    /// neighbors.
    public init?(_ template: ChatTemplate) {
        let nodes = template.nodes
        guard let place = nodes.firstIndex(where: \.isLoop), case .loop(let body) = nodes[place],
            !nodes[..<place].contains(where: \.hasLoop),
            !nodes[(place + 1)...].contains(where: \.hasLoop)
        else { return nil }
        let tokenizer = template.tokenizer
        let borders = tokenizer.borderTokens
        func layout(_ nodes: ArraySlice<TemplateNode>) -> PromptLayout {
            let segments = TemplateRendering.segments(
                Array(nodes),
                [],
                addGenerationPrompt: true
            )
            return PromptLayout(segments, .asText)
        }
        let start = layout(nodes[..<place])
        let end = Self.encode(layout(nodes[(place + 1)...]), tokenizer)
        bordersStrip = tokenizer.finder.tokens.contains {
            $0.stripsLeft && borders.contains($0.id)
        }
        guard Self.beginsApart(end, borders), !(bordersStrip && start.endsInSpace) else {
            return nil
        }
        closing = end.tokens
        opening = Self.encode(start, tokenizer).tokens
        dependsOnPosition = body.contains(where: \.usesPosition)
        tokenByteCountMax = tokenizer.pieces.byteCountMax
        self.body = body
        self.tokenizer = tokenizer
        self.borders = borders
    }

    /// The tokens of a message.
    /// - Parameters:
    ///   - message: the message.
    ///   - isFirst: whether it is the conversation's first message.
    ///   - isLast: whether it is the last one.
    /// - Returns: the tokens; nil if they depend on the previous message.
    public func encode(_ message: ChatMessage, isFirst: Bool, isLast: Bool) -> [TokenID]? {
        let layout = PromptLayout(
            TemplateRendering.segments(body, message, isFirst: isFirst, isLast: isLast),
            .asText
        )
        if bordersStrip, layout.endsInSpace { return nil }
        let encoding = Self.encode(layout, tokenizer)
        return Self.beginsApart(encoding, borders) ? encoding.tokens : nil
    }

    private static func encode(_ layout: PromptLayout, _ tokenizer: Tokenizer) -> TextEncoding {
        var encoding = TextEncoding(tokenizer)
        encoding.encode(layout.text, findingTokensIn: layout.scaffolds)
        return encoding
    }

    /// Whether it starts with a border token at offset 0, or is empty.
    private static func beginsApart(_ encoding: TextEncoding, _ borders: Set<TokenID>) -> Bool {
        guard let mark = encoding.marks.first, let token = encoding.tokens.first else {
            return encoding.marks.isEmpty
        }
        return mark.offset == 0 && borders.contains(token)
    }
}

extension Tokenizer {
    /// The added tokens before which a text can be split into two that are encoded separately,
    /// except for white space: those that no other added token can overlap.
    fileprivate var borderTokens: Set<TokenID> {
        let tails = finder.tokens.flatMap { token in
            let text = Array(token.content.utf8)
            return text.indices.dropFirst().map { text[$0...] }
        }
        let candidates = finder.tokens.filter { token in
            let text = Array(token.content.utf8)
            return !tails.contains { tail in
                tail.first == text[0] && (tail.starts(with: text) || text.starts(with: tail))
            }
        }
        return Set(candidates.map(\.id))
    }
}

extension PromptLayout {
    /// Whether the text ends with white space that tokens strip.
    fileprivate var endsInSpace: Bool {
        ScalarClass.spaces.contains { text.suffix($0.count).elementsEqual($0) }
    }
}

extension TemplateNode {
    fileprivate var isLoop: Bool { if case .loop = self { true } else { false } }

    /// Whether it is or contains a loop.
    fileprivate var hasLoop: Bool {
        switch self {
        case .loop: true
        case .text, .output: false
        case .group(let body): body.contains(where: \.hasLoop)
        case .choice(let branches, let otherwise):
            branches.contains { $0.body.contains(where: \.hasLoop) }
                || otherwise.contains(where: \.hasLoop)
        }
    }

    /// Whether it uses the position of the loop's message.
    fileprivate var usesPosition: Bool {
        contains { if case .position = $0 { true } else { false } }
    }
}
