// JSON values, for the files of a model folder (config.json, safetensors headers, tokenizer.json)
// and for single conversations of an export. Not a general codec: it only reads, and it keeps the
// order of members, which these files need.

/// A parsed JSON value.
public enum JSONValue: Sendable, Equatable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number without fraction and exponent that fits 64 bits.
    case integer(Int)
    /// Any other number; always finite.
    case number(Double)
    /// A string, unescaped.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object, with its members in the order of the text.
    case object(JSONObject)

    /// Parses `bytes` as one JSON value, with optional white space around it (RFC 8259).
    ///
    /// Takes time linear in the length of the text: a fraction of a second for 15 MB.
    /// - Throws: `JSONError` if the text is malformed or exceeds `limits`.
    public init(
        parsing bytes: Span<UInt8>,
        limits: JSONLimits = JSONLimits()
    ) throws(JSONError) {
        var parser = JSONParser(limits: limits)
        self = try parser.parseText(bytes)
    }

    /// Parses `bytes` as one JSON value, with optional white space around it (RFC 8259).
    /// - Throws: `JSONError` if the text is malformed or exceeds `limits`.
    public init(
        parsing bytes: [UInt8],
        limits: JSONLimits = JSONLimits()
    ) throws(JSONError) {
        try self.init(parsing: bytes.span, limits: limits)
    }

    /// Equal kinds and contents; strings by their bytes, objects with the same order of members.
    ///
    /// Swift's own `==` treats canonically equivalent strings as equal, and a vocabulary may
    /// contain both.
    public static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let one), .bool(let other)): one == other
        case (.integer(let one), .integer(let other)): one == other
        case (.number(let one), .number(let other)): one == other
        case (.string(let one), .string(let other)): one.utf8.elementsEqual(other.utf8)
        case (.array(let one), .array(let other)): one == other
        case (.object(let one), .object(let other)): one == other
        default: false
        }
    }
}

extension JSONValue {
    /// The member `key` of an object; nil for a missing member and for any other kind of value.
    public subscript(key: String) -> JSONValue? { object?[key] }

    /// Whether this is `null`.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The truth value, if this is one.
    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The integer, if this is one; `4.0` counts too, since some writers print it so.
    public var integer: Int? {
        switch self {
        case .integer(let value): value
        case .number(let value): Int(exactly: value)
        default: nil
        }
    }

    /// The number, if this is one, written `4` or `4.0`.
    public var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }

    /// The string, if this is one.
    public var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The elements, if this is an array.
    public var array: [JSONValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The object, if this is one.
    public var object: JSONObject? {
        if case .object(let value) = self { value } else { nil }
    }

    /// What kind of value this is, for error messages: "a string", "null".
    public var kindName: String {
        switch self {
        case .null: "null"
        case .bool: "true or false"
        case .integer, .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
