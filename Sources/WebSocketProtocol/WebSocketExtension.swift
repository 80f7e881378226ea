// The Sec-WebSocket-Extensions field, RFC 6455 section 9.1.

import HTTPProtocol

/// One extension of the field: offered by a client, or agreed to by a server.
struct WebSocketExtension: Equatable {
    /// One parameter; not each has a value.
    struct Parameter: Equatable {
        var name: String
        var value: String?
    }

    var name: String
    var parameters: [Parameter] = []

    /// The extensions of a field's value, none without the field. Nil: the value is malformed, for
    /// which the connection has to be failed.
    static func list(_ value: String?) -> [WebSocketExtension]? {
        guard let value else { return [] }
        var reader = ExtensionReader(value)
        var extensions: [WebSocketExtension] = []
        while true {
            // The elements of a list may be empty (RFC 9110 section 5.6.1).
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

/// Reads extensions from the front of a text.
private struct ExtensionReader {
    private var rest: ArraySlice<UInt8>

    init(_ text: String) {
        rest = Array(text.utf8)[...]
        skipBlanks()
    }

    var isAtEnd: Bool { rest.isEmpty }

    /// Takes one character, and the white space behind it. False: something else comes next.
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

    /// A token in quotes. Whatever is escaped in it, it has to be one without them.
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
