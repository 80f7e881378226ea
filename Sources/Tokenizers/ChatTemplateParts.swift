// A conversation's messages encoded one by one, so that a prompt can be built from its newest message
// back, and what does not fit is never tokenised. The tokens are those of the whole conversation
// encoded at once: a template and a tokenizer for which that cannot be promised have no parts.

public import Checkpoints

/// A chat template whose messages are encoded apart from each other.
///
/// It rests on the borders: where what a message renders to begins with an added token that nothing
/// before it can become part of, the text before that token and the text behind it are encoded apart
/// in the whole conversation too. A token that swallows the white space before it does so only where
/// there is some: then what stands before must not end in it.
public struct ChatTemplateParts: Sendable {
    /// What stands before all messages.
    public let opening: [TokenID]
    /// What stands behind them: the opening of the answer.
    public let closing: [TokenID]
    /// Whether a message's tokens depend on its being the first or the last.
    public let dependsOnPosition: Bool
    /// The most bytes of a text that become one token.
    public let tokenByteCountMax: Int
    private let body: [TemplateNode]
    private let tokenizer: Tokenizer
    private let borders: Set<TokenID>
    /// Whether a border swallows white space before it.
    private let bordersSwallow: Bool

    /// The parts of `template`, whose prompts end with the opening of the answer; nil where messages
    /// depend on their neighbours.
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
        bordersSwallow = tokenizer.finder.tokens.contains {
            $0.stripsLeft && borders.contains($0.id)
        }
        guard Self.beginsApart(end, borders), !(bordersSwallow && start.endsInSpace) else {
            return nil
        }
        closing = end.tokens
        opening = Self.encode(start, tokenizer).tokens
        dependsOnPosition = body.contains(where: \.asksForPosition)
        tokenByteCountMax = tokenizer.pieces.byteCountMax
        self.body = body
        self.tokenizer = tokenizer
        self.borders = borders
    }

    /// The tokens of a message.
    /// - Parameters:
    ///   - message: any.
    ///   - isFirst: whether it is the conversation's first.
    ///   - isLast: whether it is the last.
    /// - Returns: nil where they would depend on the message before it.
    public func encode(_ message: ChatMessage, isFirst: Bool, isLast: Bool) -> [TokenID]? {
        let layout = PromptLayout(
            TemplateRendering.segments(body, message, isFirst: isFirst, isLast: isLast),
            .asText
        )
        if bordersSwallow, layout.endsInSpace { return nil }
        let encoding = Self.encode(layout, tokenizer)
        return Self.beginsApart(encoding, borders) ? encoding.tokens : nil
    }

    private static func encode(_ layout: PromptLayout, _ tokenizer: Tokenizer) -> TextEncoding {
        var encoding = TextEncoding(tokenizer)
        encoding.encode(layout.text, findingTokensIn: layout.scaffolds)
        return encoding
    }

    /// Whether it begins with a token that is a border, at its very beginning; or is empty.
    private static func beginsApart(_ encoding: TextEncoding, _ borders: Set<TokenID>) -> Bool {
        guard let mark = encoding.marks.first, let token = encoding.tokens.first else {
            return encoding.marks.isEmpty
        }
        return mark.offset == 0 && borders.contains(token)
    }
}

extension Tokenizer {
    /// The added tokens before which a text can be cut in two that are encoded apart, but for white
    /// space: those that no added token can reach into.
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
    /// Whether the text ends in white space of the kind that tokens swallow.
    fileprivate var endsInSpace: Bool {
        ScalarClass.spaces.contains { text.suffix($0.count).elementsEqual($0) }
    }
}

extension TemplateNode {
    fileprivate var isLoop: Bool { if case .loop = self { true } else { false } }

    /// Whether it is a loop, or has one inside.
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

    /// Whether it asks for the place of the loop's message.
    fileprivate var asksForPosition: Bool {
        switch self {
        case .text: false
        case .output(let expression): expression.asksForPosition
        case .loop(let body), .group(let body): body.contains(where: \.asksForPosition)
        case .choice(let branches, let otherwise):
            branches.contains {
                $0.condition.asksForPosition || $0.body.contains(where: \.asksForPosition)
            } || otherwise.contains(where: \.asksForPosition)
        }
    }
}

extension TemplateExpression {
    fileprivate var asksForPosition: Bool {
        switch self {
        case .position: true
        case .literal, .field, .variable, .message, .addGenerationPrompt, .truth, .none: false
        case .joined(let operands), .list(let operands), .all(let operands), .any(let operands):
            operands.contains(where: \.asksForPosition)
        case .equal(let left, let right), .contained(let left, let right):
            left.asksForPosition || right.asksForPosition
        case .isNone(let operand), .isDefined(let operand), .not(let operand):
            operand.asksForPosition
        }
    }
}
