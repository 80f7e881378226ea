// The syntax tree of a chat template. The parser checks the type of each expression, so rendering
// cannot fail: invalid templates are refused when they are parsed.

/// A part of a template.
indirect enum TemplateNode: Sendable {
    /// Literal text.
    case text(String)
    /// `{{ expression }}`; the expression is text.
    case output(TemplateExpression)
    /// `{% for message in messages %}`; loops do not nest.
    case loop(body: [TemplateNode])
    /// `{% generation %}`, which marks text for training, and renders as its content.
    case group([TemplateNode])
    /// `{% if %}` and `{% elif %}` with their conditions, and `{% else %}`.
    case choice(
        branches: [(condition: TemplateExpression, body: [TemplateNode])],
        otherwise: [TemplateNode]
    )
}

/// An expression.
indirect enum TemplateExpression: Sendable {
    /// A string literal.
    case literal(String)
    /// `message['content']` and the like, of the loop's message.
    case field(MessageField)
    /// `bos_token` or `eos_token`, with its value.
    case variable(String)
    /// Concatenation with `+`.
    case joined([TemplateExpression])
    /// `['system', 'user']`
    case list([TemplateExpression])
    /// The loop's message.
    case message
    /// `loop.first` or `loop.last`
    case position(LoopPosition)
    /// `add_generation_prompt`
    case addGenerationPrompt
    /// `true` or `false`
    case truth(Bool)
    /// `none`
    case none
    /// `==`
    case equal(TemplateExpression, TemplateExpression)
    /// `in`
    case contained(TemplateExpression, TemplateExpression)
    /// `is none`
    case isNone(TemplateExpression)
    /// `is defined`
    case isDefined(TemplateExpression)
    /// `not`
    case not(TemplateExpression)
    /// Operands of `and`
    case all([TemplateExpression])
    /// Operands of `or`
    case any([TemplateExpression])

    /// Whether the value is text, or undefined for a field that may be missing.
    var isText: Bool {
        switch self {
        case .literal, .field, .variable, .joined: true
        default: false
        }
    }
}

/// The properties of a loop.
enum LoopPosition: String, Sendable {
    case first, last
}

/// The fields of a message.
enum MessageField: String, Sendable {
    case role, content, tools
}
