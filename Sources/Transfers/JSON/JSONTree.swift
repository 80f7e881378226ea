// A JSON value that is small enough to be held as a whole.

/// A part of a JSON text as a value, with a bounded depth and number of values.
public indirect enum JSONTree: Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number; always finite. Whole numbers are exact up to 2^53.
    case number(Double)
    /// A string, unescaped.
    case string(String)
    /// An array.
    case array([JSONTree])
    /// An object.
    case object(JSONMembers)
}

extension JSONTree {
    /// The member `key` of an object; nil for a missing member and any other kind of value.
    public subscript(key: String) -> JSONTree? { members?[key] }

    /// The truth value, where this is one.
    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The number, where this is one.
    public var number: Double? {
        if case .number(let value) = self { value } else { nil }
    }

    /// The string, where this is one.
    public var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The elements, where this is an array.
    public var array: [JSONTree]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The members, where this is an object.
    public var members: JSONMembers? {
        if case .object(let value) = self { value } else { nil }
    }

    /// Whether this is `null`.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }
}

/// The members of a JSON object in the order of the text. Of a key that stands twice the last value
/// counts, as in every browser's parser, and it is known that there were such.
public struct JSONMembers: Sendable {
    /// The keys in the order of the text, none twice.
    public private(set) var keys: [String] = []
    /// The value of each key.
    public private(set) var values: [JSONTree] = []

    /// The places of keys, once there are too many to look at each.
    private var places: [String: Int] = [:]
    private static let linearSearchMax = 8

    /// No members.
    public init() {}

    /// How many members there are.
    public var count: Int { keys.count }

    /// The value of `key`; nil where there is none.
    public subscript(key: String) -> JSONTree? { place(of: key).map { values[$0] } }

    /// Adds a member, or gives one that is there another value.
    /// - Parameters:
    ///   - value: the value.
    ///   - key: its key.
    /// - Returns: whether the key was new.
    @discardableResult
    public mutating func set(_ value: JSONTree, for key: String) -> Bool {
        if let place = place(of: key) {
            values[place] = value
            return false
        }
        keys.append(key)
        values.append(value)
        if keys.count > Self.linearSearchMax {
            if places.isEmpty {
                for (place, key) in keys.enumerated() { places[key] = place }
            } else {
                places[key] = keys.count - 1
            }
        }
        return true
    }

    private func place(of key: String) -> Int? {
        keys.count > Self.linearSearchMax ? places[key] : keys.firstIndex(of: key)
    }
}
