// Renders templates. The output is a list of segments with their origin, so that a message's
// content cannot be mistaken for the template's text.

/// The rendering of one conversation.
struct TemplateRendering {
    private let messages: [ChatMessage]
    private let addGenerationPrompt: Bool
    /// The index of the current message; nil outside of a loop.
    private var current: Int?
    private var segments: [ChatSegment] = []

    /// Renders `nodes` for `messages`.
    static func segments(
        _ nodes: [TemplateNode],
        _ messages: [ChatMessage],
        addGenerationPrompt: Bool
    ) -> [ChatSegment] {
        var rendering = TemplateRendering(
            messages: messages,
            addGenerationPrompt: addGenerationPrompt
        )
        rendering.render(nodes)
        return rendering.segments
    }

    /// Renders the loop's `body` for one message among others.
    static func segments(
        _ body: [TemplateNode],
        _ message: ChatMessage,
        isFirst: Bool,
        isLast: Bool
    ) -> [ChatSegment] {
        // The neighbors only determine the position.
        let neighbour = ChatMessage(role: "user", content: "")
        var rendering = TemplateRendering(
            messages: (isFirst ? [] : [neighbour]) + [message] + (isLast ? [] : [neighbour]),
            addGenerationPrompt: true
        )
        rendering.current = isFirst ? 0 : 1
        rendering.render(body)
        return rendering.segments
    }

    private init(messages: [ChatMessage], addGenerationPrompt: Bool) {
        self.messages = messages
        self.addGenerationPrompt = addGenerationPrompt
    }

    private mutating func render(_ nodes: [TemplateNode]) {
        for node in nodes {
            switch node {
            case .text(let text):
                emit([Piece(text: text, source: .scaffold)])
            case .output(let expression):
                if case .text(let pieces) = value(expression) { emit(pieces) }
            case .loop(let body):
                for index in messages.indices {
                    current = index
                    render(body)
                }
                current = nil
            case .group(let body):
                render(body)
            case .choice(let branches, let otherwise):
                let chosen = branches.first { value($0.condition).isTrue }
                render(chosen?.body ?? otherwise)
            }
        }
    }

    private mutating func emit(_ pieces: [Piece]) {
        for piece in pieces where !piece.text.isEmpty {
            if piece.source == .scaffold, let last = segments.last, last.message == current,
                last.source == .scaffold
            {
                segments[segments.count - 1].text += piece.text
            } else {
                let segment = ChatSegment(
                    text: piece.text,
                    source: piece.source,
                    message: current
                )
                segments.append(segment)
            }
        }
    }

    /// A text and its origin.
    private struct Piece {
        var text: String
        var source: ChatSegment.Source
    }

    private enum Value {
        case text([Piece])
        case list([Value])
        case message
        case truth(Bool)
        case none
        /// A field that the message does not have.
        case undefined

        /// Python's truth value: empty values are false.
        var isTrue: Bool {
            switch self {
            case .text(let pieces): !pieces.allSatisfy(\.text.isEmpty)
            case .list(let elements): !elements.isEmpty
            case .message: true
            case .truth(let truth): truth
            case .none, .undefined: false
            }
        }

        /// The bytes of a text; nil for anything else.
        var bytes: [UInt8]? {
            guard case .text(let pieces) = self else { return nil }
            return pieces.flatMap { Array($0.text.utf8) }
        }

        /// The length of a text in bytes; nil for anything else.
        var byteCount: Int? {
            guard case .text(let pieces) = self else { return nil }
            return pieces.reduce(0) { $0 + $1.text.utf8.count }
        }
    }

    private func value(_ expression: TemplateExpression) -> Value {
        switch expression {
        case .literal(let text), .variable(let text):
            .text([Piece(text: text, source: .scaffold)])
        case .field(let field): fieldValue(field)
        case .joined(let operands): .text(operands.flatMap { pieces(value($0)) })
        case .list(let elements): .list(elements.map(value))
        case .message: .message
        case .position(.first): .truth(current == messages.startIndex)
        case .position(.last): .truth(current == messages.endIndex - 1)
        case .addGenerationPrompt: .truth(addGenerationPrompt)
        case .truth(let truth): .truth(truth)
        case .none: .none
        case .equal(let left, let right): .truth(isEqual(value(left), value(right)))
        case .contained(let element, let container):
            .truth(contains(value(container), value(element)))
        case .isNone(let operand):
            if case .none = value(operand) { .truth(true) } else { .truth(false) }
        case .isDefined(let operand):
            if case .undefined = value(operand) { .truth(false) } else { .truth(true) }
        case .not(let operand): .truth(!value(operand).isTrue)
        case .all(let operands): .truth(operands.allSatisfy { value($0).isTrue })
        case .any(let operands): .truth(operands.contains { value($0).isTrue })
        }
    }

    private func fieldValue(_ field: MessageField) -> Value {
        guard let current else { return .undefined }
        let message = messages[current]
        switch field {
        case .role:
            // A role is used in special tokens ('<|' + role + '|>'), so it must be a plain word.
            let source: ChatSegment.Source = message.hasPlainRole ? .scaffold : .content
            return .text([Piece(text: message.role, source: source)])
        case .content:
            var pieces = [Piece(text: message.content, source: .content)]
            if let calls = message.calls {
                pieces.append(Piece(text: ToolForm.phi4Mini.opening, source: .scaffold))
                pieces.append(Piece(text: calls, source: .content))
                pieces.append(Piece(text: ToolForm.phi4Mini.closing, source: .scaffold))
            }
            return .text(pieces)
        case .tools:
            guard let tools = message.tools else { return .undefined }
            return .text([Piece(text: tools, source: .content)])
        }
    }

    private func pieces(_ value: Value) -> [Piece] {
        if case .text(let pieces) = value { pieces } else { [] }
    }

    private func isEqual(_ left: Value, _ right: Value) -> Bool {
        switch (left, right) {
        case (.text, .text): left.byteCount == right.byteCount && left.bytes == right.bytes
        case (.truth(let one), .truth(let other)): one == other
        case (.none, .none), (.undefined, .undefined), (.message, .message): true
        case (.list(let some), .list(let others)):
            some.count == others.count && zip(some, others).allSatisfy(isEqual)
        default: false
        }
    }

    private func contains(_ container: Value, _ element: Value) -> Bool {
        switch container {
        case .list(let elements):
            return elements.contains { isEqual($0, element) }
        case .message:
            guard let current, let key = element.bytes else { return false }
            let fields: [MessageField] =
                messages[current].tools == nil ? [.role, .content] : [.role, .content, .tools]
            return fields.contains { Array($0.rawValue.utf8) == key }
        default:
            guard let text = container.bytes, let part = element.bytes else { return false }
            return part.isEmpty || text.indices.contains { text[$0...].starts(with: part) }
        }
    }
}
