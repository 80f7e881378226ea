// JSON values as text, without white space: what `enum` and `const` stand for in an answer.

public import JSONText

extension AnswerConstraint {
    /// The form of values that are valid against a schema.
    public init(schema: JSONValue) {
        self = .jsonSchema(String(decoding: JSONWriting.text(of: schema), as: UTF8.self))
    }
}

/// Writes JSON.
enum JSONWriting {
    /// The text of a value.
    static func text(of value: JSONValue) -> [UInt8] {
        switch value {
        case .null: return Array("null".utf8)
        case .bool(let value): return Array("\(value)".utf8)
        case .integer(let value): return Array("\(value)".utf8)
        case .number(let value): return Array("\(value)".utf8)
        case .string(let value): return quoted(value)
        case .array(let values):
            return joined(values.map(text), between: "[", and: "]")
        case .object(let members):
            let texts = members.map { quoted($0.key) + [UInt8(ascii: ":")] + text(of: $0.value) }
            return joined(texts, between: "{", and: "}")
        }
    }

    /// A string with its quotes.
    static func quoted(_ text: String) -> [UInt8] {
        [UInt8(ascii: "\"")] + escaped(text) + [UInt8(ascii: "\"")]
    }

    /// A string without its quotes (RFC 8259, section 7).
    static func escaped(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if let escape = escapes.first(where: { $0.scalar == byte }) {
                bytes += [UInt8(ascii: "\\"), escape.byte]
            } else if byte < 0x20 {
                bytes += "\\u00".utf8
                bytes += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }

    /// `\uXXXX` of a code unit, without the backslash.
    static func unicodeEscape(_ unit: UInt16) -> [UInt8] {
        [UInt8(ascii: "u")]
            + [12, 8, 4, 0].map { digits[Int((unit >> UInt16($0)) & 15)] }
    }

    /// The escapes of one letter that a writer needs.
    static let escapes: [(scalar: UInt8, byte: UInt8)] = [
        (0x22, UInt8(ascii: "\"")), (0x5C, UInt8(ascii: "\\")), (0x08, UInt8(ascii: "b")),
        (0x0C, UInt8(ascii: "f")), (0x0A, UInt8(ascii: "n")), (0x0D, UInt8(ascii: "r")),
        (0x09, UInt8(ascii: "t")),
    ]

    private static let digits = Array("0123456789abcdef".utf8)

    private static func joined(
        _ texts: [[UInt8]],
        between open: String,
        and close: String
    ) -> [UInt8] {
        Array(open.utf8) + texts.joined(separator: [UInt8(ascii: ",")]) + Array(close.utf8)
    }
}
