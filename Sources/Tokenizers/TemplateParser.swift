// Parses the statements of a template; TemplateParser+Expressions.swift parses expressions.
// Unsupported constructs are refused with line and word.

/// The parser of one template.
struct TemplateParser {
    /// The variables of a template.
    struct Variables {
        var bosToken: String
        var eosToken: String
    }

    /// Maximum nesting of blocks and parentheses; bounds the recursion.
    static let depthMax = 32
    /// Maximum size of a template in bytes, and of its uses of message fields. Real ones have a few
    /// thousand bytes and ten fields; together these bound the cost of rendering.
    static let sourceByteCountMax = 64 << 10
    static let fieldCountMax = 100

    let variables: Variables
    var tokens: ArraySlice<TemplateToken>
    var depth = 0
    var fieldCount = 0
    /// The loop variable; nil outside of a loop.
    private(set) var messageName: String?

    private init(_ tokens: [TemplateToken], _ variables: Variables) {
        self.tokens = tokens[...]
        self.variables = variables
    }

    /// Parses `source`.
    static func parse(
        _ source: String,
        _ variables: Variables
    ) throws(TemplateSyntaxError) -> [TemplateNode] {
        guard source.utf8.count <= sourceByteCountMax else {
            let reason = "it has more than \(sourceByteCountMax) bytes"
            throw TemplateSyntaxError(line: 1, word: "its start", reason: reason)
        }
        var parser = TemplateParser(try TemplateLexer.tokens(source), variables)
        let (nodes, end) = try parser.parseNodes(until: [])
        assert(end == nil, "without an end to look for, nodes go on to the end of the source")
        return nodes
    }

    /// Parses nodes up to a statement whose name is one of `ends`, consuming its `{%` and name; or
    /// up to the end of the source if there are no `ends`.
    private mutating func parseNodes(
        until ends: [String]
    ) throws(TemplateSyntaxError) -> ([TemplateNode], end: String?) {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.depthMax else { throw unexpected("blocks are nested too deep") }
        var nodes: [TemplateNode] = []
        while true {
            switch peek {
            case .text(let text):
                advance()
                nodes.append(.text(text))
            case .outputStart:
                advance()
                nodes.append(.output(try parseText()))
                try expect(.outputEnd)
            case .statementStart:
                advance()
                let name = try expectName()
                if ends.contains(name) { return (nodes, name) }
                nodes.append(try parseStatement(name))
            case .end where ends.isEmpty:
                return (nodes, nil)
            default:
                throw unexpected("expected \(ends.joined(separator: " or "))")
            }
        }
    }

    private mutating func parseStatement(
        _ name: String
    ) throws(TemplateSyntaxError) -> TemplateNode {
        switch name {
        case "for": return try parseLoop()
        case "if": return try parseChoice()
        case "generation": return try parseGroup()
        default: throw unknownStatement(name)
        }
    }

    private mutating func parseLoop() throws(TemplateSyntaxError) -> TemplateNode {
        guard messageName == nil else { throw unexpected("a loop in a loop is not supported") }
        let name = try expectName()
        try expect(.name("in"))
        try expect(.name("messages"))
        try expect(.statementEnd)
        messageName = name
        defer { messageName = nil }
        let (body, _) = try parseNodes(until: ["endfor"])
        try expect(.statementEnd)
        return .loop(body: body)
    }

    private mutating func parseGroup() throws(TemplateSyntaxError) -> TemplateNode {
        try expect(.statementEnd)
        let (body, _) = try parseNodes(until: ["endgeneration"])
        try expect(.statementEnd)
        return .group(body)
    }

    private mutating func parseChoice() throws(TemplateSyntaxError) -> TemplateNode {
        var branches: [(condition: TemplateExpression, body: [TemplateNode])] = []
        while true {
            let condition = try parseExpression()
            try expect(.statementEnd)
            let (body, end) = try parseNodes(until: ["elif", "else", "endif"])
            branches.append((condition, body))
            if end == "elif" { continue }
            try expect(.statementEnd)
            if end == "endif" { return .choice(branches: branches, otherwise: []) }
            let (otherwise, _) = try parseNodes(until: ["endif"])
            try expect(.statementEnd)
            return .choice(branches: branches, otherwise: otherwise)
        }
    }

    // MARK: Tokens

    /// The next token.
    var peek: TemplateToken.Kind { tokens.first?.kind ?? .end }

    /// Skips the next token, but not the end.
    mutating func advance() {
        if tokens.count > 1 { tokens.removeFirst() }
    }

    /// Skips the next token if it is `kind`; returns whether it was.
    mutating func skip(_ kind: TemplateToken.Kind) -> Bool {
        guard peek == kind else { return false }
        advance()
        return true
    }

    mutating func expect(_ kind: TemplateToken.Kind) throws(TemplateSyntaxError) {
        guard skip(kind) else { throw unexpected("expected \(kind.text)") }
    }

    mutating func expectName() throws(TemplateSyntaxError) -> String {
        guard case .name(let name) = peek else { throw unexpected("expected a name") }
        advance()
        return name
    }

    /// An error at the next token.
    func unexpected(_ reason: String) -> TemplateSyntaxError {
        TemplateSyntaxError(line: tokens.first?.line ?? 1, word: peek.text, reason: reason)
    }

    private func unknownStatement(_ name: String) -> TemplateSyntaxError {
        TemplateSyntaxError(
            line: tokens.first?.line ?? 1,
            word: name,
            reason: "a statement that is not supported here"
        )
    }
}

extension TemplateToken.Kind {
    /// The source text, for errors.
    var text: String {
        switch self {
        case .text(let text): text
        case .statementStart: "{%"
        case .statementEnd: "%}"
        case .outputStart: "{{"
        case .outputEnd: "}}"
        case .name(let name): name
        case .string(let string): "'\(string)'"
        case .symbol(let symbol): symbol
        case .end: "the end of the template"
        }
    }
}
