// What can be wrong with JSON text, and how much of it a parser takes.

/// Why bytes are not JSON that we take, and where.
public struct JSONError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong.
    public enum Reason: Sendable, Equatable {
        /// The text stops in the middle of a value.
        case unexpectedEnd
        /// A byte that cannot stand here; `expected` says what can.
        case unexpectedByte(UInt8, expected: String)
        /// A value of another kind than the reader of the file expects.
        case unexpectedValue(String, expected: String)
        /// Something follows the value.
        case trailingBytes
        /// A number that JSON does not know (`01`, `1.`, `+1`, `NaN`).
        case malformedNumber
        /// A number beyond the range of a Double.
        case numberOutOfRange
        /// An escape that JSON does not know, or half of a surrogate pair.
        case malformedEscape
        /// A control character inside a string.
        case controlCharacter
        /// A string that is not UTF-8.
        case invalidUTF8
        /// Two members of one object have the same key.
        case duplicateKey(String)
        /// More nested arrays and objects than `JSONLimits.depthMax`.
        case tooDeep(Int)
        /// More bytes than `JSONLimits.byteCountMax`.
        case tooLarge(Int)
        /// More values than `JSONLimits.valueCountMax`.
        case tooMany(Int)
    }

    /// What is wrong.
    public var reason: Reason
    /// The byte at which it was noticed, counted from 0.
    public var offset: Int

    /// An error at byte `offset`.
    public init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    /// One sentence for a person.
    public var description: String { "\(reasonText) at byte \(offset)" }

    private var reasonText: String {
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
        case .tooMany(let limit): "the text has more than \(limit) values"
        }
    }

    private static func name(of byte: UInt8) -> String {
        (0x21...0x7E).contains(byte)
            ? "'\(Character(Unicode.Scalar(byte)))'" : "0x\(String(byte, radix: 16))"
    }
}

/// The bounds of one parse; exceeding one is an error.
public struct JSONLimits: Sendable {
    /// The longest text, in bytes. The largest tokenizer.json of a Phi model has 16 MB.
    public var byteCountMax: Int
    /// The deepest nesting of arrays and objects. Bounds the parser's recursion.
    public var depthMax: Int
    /// The most values, with all that stand in others. Bounds the memory that they take, which is
    /// much more than the text's. The largest tokenizer.json of a Phi model has 0.8 million.
    public var valueCountMax: Int

    /// Limits that every file of a model folder keeps.
    public init(
        byteCountMax: Int = 128 << 20,
        depthMax: Int = 64,
        valueCountMax: Int = 4 << 20
    ) {
        self.byteCountMax = byteCountMax
        self.depthMax = depthMax
        self.valueCountMax = valueCountMax
    }
}
