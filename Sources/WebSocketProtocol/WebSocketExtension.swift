// The Sec-WebSocket-Extensions field, RFC 6455 section 9.1.

import HTTPProtocol

/// An extension in the field: offered by a client, or accepted by a server.
struct WebSocketExtension: Equatable {
    /// A parameter; the value is optional.
    struct Parameter: Equatable {
        var name: String
        var value: String?
    }

    var name: String
    var parameters: [Parameter] = []

    /// Parses the value of the field; empty without the field. Nil if it is malformed; then the
    /// connection must be failed.
    static func list(_ value: String?) -> [WebSocketExtension]? {
        guard let value else { return [] }
        var reader = ExtensionReader(value)
        var extensions: [WebSocketExtension] = []
        while true {
            // List elements may be empty (RFC 9110 section 5.6.1).
            while reader.take(",") {}
            if reader.isAtEnd { break }
            guard let next = reader.readExtension(), reader.isAtEnd || reader.take(",") else {
                return nil
            }
            extensions.append(next)
        }
        return extensions.isEmpty ? nil : extensions
    }
}

/// Parses extensions from the start of a text.
private struct ExtensionReader {
    private var rest: ArraySlice<UInt8>

    init(_ text: String) {
        rest = Array(text.utf8)[...]
        skipBlanks()
    }

    var isAtEnd: Bool { rest.isEmpty }

    /// Consumes `character` and following white space; false if something else is next.
    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        skipBlanks()
        return true
    }

    mutating func readExtension() -> WebSocketExtension? {
        guard let name = readToken() else { return nil }
        var result = WebSocketExtension(name: name)
        while take(";") {
            guard let name = readToken() else { return nil }
            var value: String?
            if take("=") {
                value = rest.first == UInt8(ascii: "\"") ? readQuotedToken() : readToken()
                if value == nil { return nil }
            }
            result.parameters.append(WebSocketExtension.Parameter(name: name, value: value))
        }
        return result
    }

    private mutating func skipBlanks() { rest = rest.drop(while: CharacterClass.isBlank) }

    private mutating func readToken() -> String? {
        let token = rest.prefix { CharacterClass.isToken($0) }
        rest = rest[token.endIndex...]
        skipBlanks()
        return token.isEmpty ? nil : String(decoding: token, as: UTF8.self)
    }

    /// Parses a quoted string, which must be a token after removing escapes.
    private mutating func readQuotedToken() -> String? {
        rest.removeFirst()
        var token: [UInt8] = []
        while var byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") {
                skipBlanks()
                return token.isEmpty ? nil : String(decoding: token, as: UTF8.self)
            }
            if byte == UInt8(ascii: "\\") {
                guard let escaped = rest.popFirst() else { return nil }
                byte = escaped
            }
            guard CharacterClass.isToken(byte) else { return nil }
            token.append(byte)
        }
        return nil
    }
}
