// Errors of reading JSON.

/// Why a JSON text was refused, and at which byte.
public struct JSONError: Error, Sendable, Hashable {
    /// What is wrong.
    public enum Reason: Sendable, Hashable {
        /// The text ends in the middle of a value: the file was cut short.
        case unexpectedEnd
        /// A byte that is not allowed here; `expected` says what is. The file is not JSON, or was
        /// edited by hand.
        case unexpectedByte(UInt8, expected: String)
        /// A value of another type than the reader of the file expects.
        case unexpectedValue(String, expected: String)
        /// There are bytes after the value: several texts may have been concatenated.
        case trailingBytes
        /// A number that is not in JSON's syntax (`01`, `1.`, `+1`, `NaN`).
        case malformedNumber
        /// A number beyond the range of a Double.
        case numberOutOfRange
        /// An escape that JSON does not define, or half of a surrogate pair.
        case malformedEscape
        /// A control character inside a string.
        case controlCharacter
        /// A string that is not UTF-8.
        case invalidUTF8
        /// Two members of one object have the same key.
        case duplicateKey(String)
        /// Arrays and objects are nested deeper than `limit`.
        case tooDeep(limit: Int)
        /// A text, or an element of one, with more bytes than `limit`.
        case tooLarge(limit: Int)
        /// A text, or an element of one, with more values than `limit`.
        case tooManyValues(limit: Int)
        /// A number with more digits than `limit`.
        case numberTooLong(limit: Int)
        /// A string with more bytes than `limit`.
        case stringTooLong(limit: Int)
    }

    /// What is wrong.
    public var reason: Reason
    /// The offset of the byte at which the error was found, from 0.
    public var offset: Int

    /// An error at byte `offset`.
    public init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    /// Whether a size limit was exceeded, so that the reader can skip the value and continue.
    public var isAboutSize: Bool {
        switch reason {
        case .tooDeep, .tooLarge, .tooManyValues, .stringTooLong: true
        default: false
        }
    }
}

extension JSONError: CustomStringConvertible {
    /// The reason and the offset as one sentence.
    public var description: String { "\(reasonText) at byte \(offset)" }

    /// The reason without the offset.
    public var reasonText: String {
        switch reason {
        case .unexpectedEnd: "the JSON text ends too early"
        case .unexpectedByte(let byte, let expected):
            "found \(Self.name(of: byte)) where \(expected) should stand"
        case .unexpectedValue(let kind, let expected):
            "found \(kind) where \(expected) should stand"
        case .trailingBytes: "something follows the JSON value"
        case .malformedNumber: "a number is malformed"
        case .numberOutOfRange: "a number is too large"
        case .malformedEscape: "a string has an escape that JSON does not know"
        case .controlCharacter: "a string has a control character"
        case .invalidUTF8: "a string is not UTF-8"
        case .duplicateKey(let key): "the key \"\(key)\" stands twice in one object"
        case .tooDeep(let limit): "values are nested more than \(limit) deep"
        case .tooLarge(let limit): "the text is longer than \(limit) bytes"
        case .tooManyValues(let limit): "the text has more than \(limit) values"
        case .numberTooLong(let limit): "a number has more than \(limit) digits"
        case .stringTooLong(let limit): "a string is longer than \(limit) bytes"
        }
    }

    private static func name(of byte: UInt8) -> String {
        (0x21...0x7E).contains(byte)
            ? "'\(Character(Unicode.Scalar(byte)))'" : "0x\(String(byte, radix: 16))"
    }
}
