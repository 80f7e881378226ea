// Parses expressions by Jinja's precedence: or, and, not, comparison, +, tests.

extension TemplateParser {
    /// Parses an expression that is text.
    mutating func parseText() throws(TemplateSyntaxError) -> TemplateExpression {
        let expression = try parseExpression()
        guard expression.isText else { throw unexpected("what stands before is not text") }
        return expression
    }

    /// Parses any expression.
    mutating func parseExpression() throws(TemplateSyntaxError) -> TemplateExpression {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.depthMax else { throw unexpected("the expression is too deep") }
        var operands = [try parseConjunction()]
        while skip(.name("or")) { operands.append(try parseConjunction()) }
        return operands.count == 1 ? operands[0] : .any(operands)
    }

    private mutating func parseConjunction() throws(TemplateSyntaxError) -> TemplateExpression {
        var operands = [try parseNegation()]
        while skip(.name("and")) { operands.append(try parseNegation()) }
        return operands.count == 1 ? operands[0] : .all(operands)
    }

    private mutating func parseNegation() throws(TemplateSyntaxError) -> TemplateExpression {
        var isNegated = false
        while skip(.name("not")) { isNegated.toggle() }
        let operand = try parseComparison()
        return isNegated ? .not(operand) : operand
    }

    private mutating func parseComparison() throws(TemplateSyntaxError) -> TemplateExpression {
        let left = try parseSum()
        switch peek {
        case .symbol("=="):
            advance()
            return .equal(left, try parseSum())
        case .symbol("!="):
            advance()
            return .not(.equal(left, try parseSum()))
        case .name("in"):
            advance()
            return try parseContainer(of: left)
        case .name("not"):
            advance()
            try expect(.name("in"))
            return .not(try parseContainer(of: left))
        default:
            return left
        }
    }

    private mutating func parseContainer(
        of element: TemplateExpression
    ) throws(TemplateSyntaxError) -> TemplateExpression {
        let container = try parseSum()
        switch container {
        case .list, .message: return .contained(element, container)
        case _ where container.isText: return .contained(element, container)
        default: throw unexpected("what stands before contains nothing")
        }
    }

    private mutating func parseSum() throws(TemplateSyntaxError) -> TemplateExpression {
        let first = try parseTested()
        var operands = [first]
        while peek == .symbol("+") || peek == .symbol("~") {
            guard first.isText else { throw unexpected("only texts are joined") }
            advance()
            operands.append(try parseTested())
            guard operands[operands.count - 1].isText else {
                throw unexpected("only texts are joined")
            }
        }
        return operands.count == 1 ? first : .joined(operands)
    }

    /// Parses a value, optionally with `is none` or `is defined`.
    private mutating func parseTested() throws(TemplateSyntaxError) -> TemplateExpression {
        let value = try parseValue()
        guard skip(.name("is")) else { return value }
        let isNegated = skip(.name("not"))
        let test: TemplateExpression
        if skip(.name("none")) {
            test = .isNone(value)
        } else if skip(.name("defined")) {
            test = .isDefined(value)
        } else {
            throw unexpected("a test that is not supported")
        }
        return isNegated ? .not(test) : test
    }

    private mutating func parseValue() throws(TemplateSyntaxError) -> TemplateExpression {
        switch peek {
        case .string(let string):
            advance()
            return .literal(string)
        case .symbol("("):
            advance()
            let inner = try parseExpression()
            try expect(.symbol(")"))
            return inner
        case .symbol("["):
            advance()
            return try parseList()
        case .name(let name):
            return try parseNamed(name)
        default:
            throw unexpected("expected a value")
        }
    }

    private mutating func parseList() throws(TemplateSyntaxError) -> TemplateExpression {
        var elements: [TemplateExpression] = []
        while !skip(.symbol("]")) {
            if !elements.isEmpty { try expect(.symbol(",")) }
            elements.append(try parseText())
        }
        return .list(elements)
    }

    private mutating func parseNamed(
        _ name: String
    ) throws(TemplateSyntaxError) -> TemplateExpression {
        if name == messageName {
            advance()
            return try parseField()
        }
        if name == "loop", messageName != nil {
            advance()
            return try parsePosition()
        }
        let value: TemplateExpression
        switch name {
        case "add_generation_prompt": value = .addGenerationPrompt
        case "bos_token": value = .variable(variables.bosToken)
        case "eos_token": value = .variable(variables.eosToken)
        case "true", "True": value = .truth(true)
        case "false", "False": value = .truth(false)
        case "none", "None": value = .none
        default: throw unexpected("a name that is not known here")
        }
        advance()
        return value
    }

    /// Parses `.first` or `.last` after `loop`.
    private mutating func parsePosition() throws(TemplateSyntaxError) -> TemplateExpression {
        try expect(.symbol("."))
        guard case .name(let name) = peek, let position = LoopPosition(rawValue: name) else {
            throw unexpected("loops have no such field")
        }
        advance()
        return .position(position)
    }

    /// Parses `['content']` or `.content` after the name of the message, or the message itself.
    private mutating func parseField() throws(TemplateSyntaxError) -> TemplateExpression {
        let field: MessageField?
        switch peek {
        case .symbol("["):
            advance()
            guard case .string(let key) = peek else { throw unexpected("expected a key") }
            field = MessageField(rawValue: key)
        case .symbol("."):
            advance()
            guard case .name(let key) = peek else { throw unexpected("expected a name") }
            field = MessageField(rawValue: key)
        default:
            return .message
        }
        guard let field else { throw unexpected("messages have no such field") }
        fieldCount += 1
        guard fieldCount <= Self.fieldCountMax else {
            throw unexpected("more than \(Self.fieldCountMax) fields of messages")
        }
        let isKey = if case .string = peek { true } else { false }
        advance()
        if isKey { try expect(.symbol("]")) }
        return .field(field)
    }
}
