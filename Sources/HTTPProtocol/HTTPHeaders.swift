// The fields of a message, in order. They can be written without escaping: names are tokens by
// their type, and control characters are removed from values when they are added, so that user text
// cannot start a new line.

/// An ordered list of fields with case-insensitive lookup.
public struct HTTPHeaders: Sendable, Hashable {
    /// One field line.
    public struct Field: Sendable, Hashable {
        /// The field's name.
        public let name: HTTPHeaderName
        /// The field's value, without control characters and surrounding white space.
        public let value: String
    }

    /// The fields in the order in which they were added or received.
    public private(set) var fields: [Field] = []

    /// Creates an empty list.
    public init() {}

    /// The number of field lines.
    public var count: Int { fields.count }

    /// The value of the field `name`; several lines are joined with ", " (RFC 9110 section 5.2);
    /// nil if there is none. Setting replaces all lines with one, nil removes them. Values are
    /// sanitized as by `add`.
    public subscript(name: HTTPHeaderName) -> String? {
        get {
            let values = values(of: name)
            return values.count <= 1 ? values.first : values.joined(separator: ", ")
        }
        set {
            remove(name)
            if let newValue { add(name, newValue) }
        }
    }

    /// The values of all lines of the field `name`.
    public func values(of name: HTTPHeaderName) -> [String] {
        fields.lazy.filter { $0.name == name }.map(\.value)
    }

    /// Whether there is a field `name`.
    public func contains(_ name: HTTPHeaderName) -> Bool {
        fields.contains { $0.name == name }
    }

    /// Appends a line. Control characters of `value` (also CR and LF) are replaced by spaces, and
    /// surrounding white space is removed; `isValidValue` says whether that would change it.
    public mutating func add(_ name: HTTPHeaderName, _ value: String) {
        if value.utf8.allSatisfy(CharacterClass.isFieldValue) {
            add(name, bytes: Array(value.utf8))
        } else {
            let clean = value.utf8.map {
                CharacterClass.isFieldValue($0) ? $0 : UInt8(ascii: " ")
            }
            add(name, bytes: clean)
        }
    }

    /// Removes all lines of the field `name`.
    public mutating func remove(_ name: HTTPHeaderName) {
        fields.removeAll { $0.name == name }
    }

    /// Whether `value` is valid as it is.
    public static func isValidValue(_ value: String) -> Bool {
        let bytes = Array(value.utf8)
        return bytes.allSatisfy(CharacterClass.isFieldValue)
            && CharacterClass.trimmed(bytes[...]).count == bytes.count
    }

    /// The elements of a comma-separated list field, over all its lines, in lower case and without
    /// empty ones. For fields whose elements are tokens: `Connection`, `Upgrade`.
    public func tokens(of name: HTTPHeaderName) -> [String] {
        listElements(of: name).map { $0.lowercased() }
    }

    /// The elements of a comma-separated list field as they were written, without empty ones. Not
    /// for fields with quoted commas.
    public func listElements(of name: HTTPHeaderName) -> [String] {
        var elements: [String] = []
        for value in values(of: name) {
            for part in Array(value.utf8).split(separator: UInt8(ascii: ",")) {
                let element = CharacterClass.trimmed(part)
                if !element.isEmpty { elements.append(String(decoding: element, as: UTF8.self)) }
            }
        }
        return elements
    }

    /// Appends a line with valid bytes. Bytes that are not UTF-8 are replaced by U+FFFD: no field
    /// that we use has any, and text is easier to log.
    mutating func add(_ name: HTTPHeaderName, bytes: [UInt8]) {
        let value = CharacterClass.trimmed(bytes[...])
        fields.append(Field(name: name, value: String(decoding: value, as: UTF8.self)))
    }

    /// Appends the field lines to `bytes`, without the empty line that ends them.
    func encode(into bytes: inout [UInt8]) {
        for field in fields {
            bytes.append(contentsOf: field.name.text.utf8)
            bytes.append(contentsOf: ": ".utf8)
            bytes.append(contentsOf: field.value.utf8)
            bytes.append(contentsOf: "\r\n".utf8)
        }
    }
}

/// Allows dictionary literals; the order is kept.
extension HTTPHeaders: ExpressibleByDictionaryLiteral {
    /// The fields of `elements`, in that order.
    public init(dictionaryLiteral elements: (HTTPHeaderName, String)...) {
        for (name, value) in elements { add(name, value) }
    }
}
