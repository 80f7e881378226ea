// What can be wrong with a JSON text that is read from a stream.

/// Why a JSON text is refused, and at which byte that was noticed.
public struct JSONReaderError: Error, Sendable, Hashable {
    /// What is wrong.
    public enum Reason: Sendable, Hashable {
        /// The text ends in the middle of a value: the file was cut short. Export it again.
        case unexpectedEnd
        /// A byte that cannot stand here. The file is no JSON, or was changed by hand.
        case unexpectedByte(UInt8, expected: String)
        /// Something follows the value. The file was joined of several; import them one by one.
        case trailingBytes
        /// A number that JSON does not know (`01`, `1.`, `NaN`).
        case malformedNumber
        /// A number beyond the range of a Double.
        case numberOutOfRange
        /// An escape that JSON does not know.
        case malformedEscape
        /// A control character inside a string.
        case controlCharacter
        /// A string is not UTF-8. Save the file as UTF-8.
        case invalidUTF8
        /// More arrays and objects inside each other than `limit`. No export has such.
        case tooDeep(limit: Int)
        /// A number with more digits than `limit`.
        case numberTooLong(limit: Int)
        /// A string with more bytes than `limit`.
        case stringTooLong(limit: Int)
        /// One conversation with more bytes than `limit`.
        case elementTooLarge(limit: Int)
        /// One conversation with more values than `limit`.
        case tooManyValues(limit: Int)
    }

    /// What is wrong.
    public let reason: Reason
    /// The byte at which it was noticed, counted from 0.
    public let offset: Int64

    /// Whether the text itself is fine, and what is too large in it can be stepped over.
    var isAboutSize: Bool {
        switch reason {
        case .tooDeep, .stringTooLong, .elementTooLarge, .tooManyValues: true
        default: false
        }
    }
}

extension JSONReaderError: CustomStringConvertible {
    /// One sentence for a person.
    public var description: String { "\(reasonText), at byte \(offset)" }

    /// The same without the place.
    var reasonText: String {
        switch reason {
        case .unexpectedEnd: "the JSON text ends too early"
        case .unexpectedByte(let byte, let expected):
            "found \(Self.name(of: byte)) where \(expected) should stand"
        case .trailingBytes: "something follows the JSON value"
        case .malformedNumber: "a number is malformed"
        case .numberOutOfRange: "a number is too large"
        case .malformedEscape: "a string has an escape that JSON does not know"
        case .controlCharacter: "a string has a control character"
        case .invalidUTF8: "a string is not UTF-8"
        case .tooDeep(let limit): "values are nested more than \(limit) deep"
        case .numberTooLong(let limit): "a number has more than \(limit) digits"
        case .stringTooLong(let limit): "a string is longer than \(limit) bytes"
        case .elementTooLarge(let limit): "one conversation takes more than \(limit) bytes"
        case .tooManyValues(let limit): "one conversation has more than \(limit) values"
        }
    }

    private static func name(of byte: UInt8) -> String {
        (0x21...0x7E).contains(byte)
            ? "'\(Character(Unicode.Scalar(byte)))'" : "0x\(String(byte, radix: 16))"
    }
}

/// How much of a JSON text is taken; going beyond refuses what is too large.
public struct JSONReaderLimits: Sendable {
    /// The deepest nesting of the text. It costs a byte a level, not a call.
    public var depthMax: Int
    /// The longest string, in bytes.
    public var stringByteCountMax: Int
    /// The longest number, in bytes.
    public var numberByteCountMax: Int

    /// Limits that the exports of other systems keep.
    public init(
        depthMax: Int = 200_000,
        stringByteCountMax: Int = 16 << 20,
        numberByteCountMax: Int = 64
    ) {
        self.depthMax = depthMax
        self.stringByteCountMax = stringByteCountMax
        self.numberByteCountMax = numberByteCountMax
    }
}
