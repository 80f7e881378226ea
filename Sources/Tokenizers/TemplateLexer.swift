// Splits a template into literal text and the tokens inside `{% %}` and `{{ }}`, with the white
// space control of chat templates: Jinja's trim_blocks and lstrip_blocks, and the signs of `{%-`
// and `-%}`.

/// A part of a template's source.
struct TemplateToken: Equatable {
    /// The kind of a token.
    enum Kind: Equatable {
        case text(String)
        /// `{%`
        case statementStart
        /// `%}`
        case statementEnd
        /// `{{`
        case outputStart
        /// `}}`
        case outputEnd
        case name(String)
        case string(String)
        case symbol(String)
        case end
    }

    var kind: Kind
    /// The line in the source, counted from 1.
    var line: Int
}

/// Why and where a template's source is invalid.
struct TemplateSyntaxError: Error, Equatable {
    var line: Int
    var word: String
    var reason: String
}

/// The lexer of one source.
struct TemplateLexer {
    private let source: [UInt8]
    private var offset = 0
    private var line = 1
    private var tokens: [TemplateToken] = []
    /// Whether the next character is at the start of a line.
    private var isAtLineStart = true
    /// Whether the previous tag strips the white space after it (`-%}`).
    private var stripsNext = false

    private init(_ source: String) {
        var bytes = Normalizer.replace(Array("\r\n".utf8), Array("\n".utf8), in: Array(source.utf8))
        // Jinja removes one newline at the end of the source.
        if bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
        self.source = bytes
    }

    /// The tokens of `source`, the last one being `end`.
    static func tokens(_ source: String) throws(TemplateSyntaxError) -> [TemplateToken] {
        var lexer = TemplateLexer(source)
        while lexer.offset < lexer.source.count {
            lexer.readText()
            if lexer.offset < lexer.source.count { try lexer.readTag() }
        }
        lexer.emit(.end)
        return lexer.tokens
    }

    /// Literal text up to the next tag, or to the end.
    private mutating func readText() {
        let start = offset
        while offset < source.count, tag(at: offset) == nil { offset += 1 }
        var text = source[start..<offset]
        let lineCount = text.count { $0 == UInt8(ascii: "\n") }
        if stripsNext { text = text.drop(while: Self.isSpace) }
        if offset + 2 < source.count, let tag = tag(at: offset) {
            if source[offset + 2] == UInt8(ascii: "-") {
                while let last = text.last, Self.isSpace(last) { text.removeLast() }
            } else if source[offset + 2] != UInt8(ascii: "+"), tag != UInt8(ascii: "{") {
                text = withoutIndentation(text)
            }
        }
        if !text.isEmpty { emit(.text(String(decoding: text, as: UTF8.self))) }
        line += lineCount
    }

    /// lstrip_blocks: drops the white space between the start of the line and the tag.
    private func withoutIndentation(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var end = text.endIndex
        while end > text.startIndex, text[end - 1] != UInt8(ascii: "\n"),
            Self.isSpace(text[end - 1])
        {
            end -= 1
        }
        let startsLine = end > text.startIndex ? text[end - 1] == UInt8(ascii: "\n") : isAtLineStart
        return startsLine ? text[..<end] : text
    }

    /// The tag at `offset`: its kind, its content, its end.
    private mutating func readTag() throws(TemplateSyntaxError) {
        let kind = source[offset + 1]
        let startLine = line
        offset += 2
        if offset < source.count,
            source[offset] == UInt8(ascii: "-") || source[offset] == UInt8(ascii: "+")
        {
            offset += 1
        }
        switch kind {
        case UInt8(ascii: "#"):
            while !endsTag(kind) {
                guard offset < source.count else { throw unclosed("{#", startLine) }
                advance()
            }
        case UInt8(ascii: "%"):
            emit(.statementStart)
            try readTokens(until: kind, from: startLine)
            emit(.statementEnd)
        default:
            emit(.outputStart)
            try readTokens(until: UInt8(ascii: "}"), from: startLine)
            emit(.outputEnd)
        }
        readTagEnd(trimsNewline: kind != UInt8(ascii: "{"))
    }

    private mutating func readTokens(
        until end: UInt8,
        from startLine: Int
    ) throws(TemplateSyntaxError) {
        while true {
            while offset < source.count, Self.isSpace(source[offset]) { advance() }
            guard offset < source.count else { throw unclosed("the tag", startLine) }
            if endsTag(end) { return }
            try readToken()
        }
    }

    private mutating func readToken() throws(TemplateSyntaxError) {
        let byte = source[offset]
        if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
            try readString(quote: byte)
        } else if Self.isNamePart(byte) {
            let start = offset
            while offset < source.count, Self.isNamePart(source[offset]) { offset += 1 }
            emit(.name(String(decoding: source[start..<offset], as: UTF8.self)))
        } else {
            let symbol = symbol()
            emit(.symbol(symbol))
            offset += symbol.utf8.count
        }
    }

    /// `==`, `!=`, or any other character, which the parser knows or refuses.
    private func symbol() -> String {
        if let pair = ["==", "!="].first(where: { source[offset...].starts(with: $0.utf8) }) {
            return pair
        }
        var end = offset + 1
        while end < source.count, source[end] & 0xC0 == 0x80 { end += 1 }
        return String(decoding: source[offset..<end], as: UTF8.self)
    }

    private mutating func readString(quote: UInt8) throws(TemplateSyntaxError) {
        let startLine = line
        var content: [UInt8] = []
        advance()
        while offset < source.count, source[offset] != quote {
            if source[offset] == UInt8(ascii: "\\") {
                content.append(try escapedByte())
            } else {
                content.append(source[offset])
            }
            advance()
        }
        guard offset < source.count else { throw unclosed("a string", startLine) }
        advance()
        tokens.append(
            TemplateToken(
                kind: .string(String(decoding: content, as: UTF8.self)),
                line: startLine
            )
        )
    }

    /// The byte of an escape; stays at the character after the backslash.
    private mutating func escapedByte() throws(TemplateSyntaxError) -> UInt8 {
        offset += 1
        switch offset < source.count ? source[offset] : 0 {
        case UInt8(ascii: "n"): return UInt8(ascii: "\n")
        case UInt8(ascii: "t"): return UInt8(ascii: "\t")
        case UInt8(ascii: "r"): return UInt8(ascii: "\r")
        case let byte where [UInt8(ascii: "\\"), 0x22, 0x27].contains(byte): return byte
        case let byte:
            let word = "\\" + String(decoding: [byte], as: UTF8.self)
            throw TemplateSyntaxError(line: line, word: word, reason: "unknown escape")
        }
    }

    /// Skips `%}` or `}}` with its sign, and the newline that trim_blocks removes.
    private mutating func readTagEnd(trimsNewline: Bool) {
        let sign = source[offset]
        let hasSign = sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+")
        offset += hasSign ? 3 : 2
        stripsNext = sign == UInt8(ascii: "-")
        isAtLineStart = false
        if trimsNewline, !hasSign, offset < source.count, source[offset] == UInt8(ascii: "\n") {
            isAtLineStart = true
            advance()
        }
    }

    /// Whether a tag of the kind `kind` ends at `offset`, with or without a sign.
    private func endsTag(_ kind: UInt8) -> Bool {
        let ends: [[UInt8]] = [
            [kind, UInt8(ascii: "}")], [UInt8(ascii: "-"), kind, UInt8(ascii: "}")],
            [UInt8(ascii: "+"), kind, UInt8(ascii: "}")],
        ]
        return ends.contains { source[offset...].starts(with: $0) }
    }

    /// The second byte of `{%`, `{{` or `{#`, if one is at `offset`.
    private func tag(at offset: Int) -> UInt8? {
        guard source[offset] == UInt8(ascii: "{"), offset + 1 < source.count else { return nil }
        let kind = source[offset + 1]
        return "%{#".utf8.contains(kind) ? kind : nil
    }

    private mutating func advance() {
        if source[offset] == UInt8(ascii: "\n") { line += 1 }
        offset += 1
    }

    private mutating func emit(_ kind: TemplateToken.Kind) {
        tokens.append(TemplateToken(kind: kind, line: line))
    }

    private func unclosed(_ what: String, _ line: Int) -> TemplateSyntaxError {
        TemplateSyntaxError(line: line, word: what, reason: "it is not closed")
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || (0x09...0x0D).contains(byte)
    }

    private static func isNamePart(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || (0x30...0x39).contains(byte)
            || (0x41...0x5A).contains(byte & 0xDF)
    }
}
