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

    mutating func reserveCapacity(_ count: Int) { fields.reserveCapacity(count) }

    /// The number of field lines.
    public var count: Int { fields.count }

    /// The value of the field `name`; several lines are joined with ", " (RFC 9110 section 5.2);
    /// nil if there is none. Setting replaces all lines with one, nil removes them. Values are
    /// sanitized as by `add`.
    public subscript(name: HTTPHeaderName) -> String? {
        get {
            guard let first = fields.firstIndex(where: { $0.name == name }) else { return nil }
            let hasMore = fields[(first + 1)...].contains { $0.name == name }
            return hasMore ? values(of: name).joined(separator: ", ") : fields[first].value
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

    /// The number of lines of the field `name`.
    func count(of name: HTTPHeaderName) -> Int { fields.count { $0.name == name } }

    /// Whether there is a field `name`.
    public func contains(_ name: HTTPHeaderName) -> Bool {
        fields.contains { $0.name == name }
    }

    /// Appends a line. Control characters of `value` (also CR and LF) are replaced by spaces, and
    /// surrounding white space is removed; `isValidValue` says whether that would change it.
    public mutating func add(_ name: HTTPHeaderName, _ value: String) {
        if Self.isValidValue(value) {
            fields.append(Field(name: name, value: value))
            return
        }
        let clean = value.utf8.map { CharacterClass.isFieldValue($0) ? $0 : UInt8(ascii: " ") }
        add(name, bytes: clean.span)
    }

    /// Removes all lines of the field `name`.
    public mutating func remove(_ name: HTTPHeaderName) {
        if contains(name) { fields.removeAll { $0.name == name } }
    }

    /// Whether `value` is valid as it is.
    public static func isValidValue(_ value: String) -> Bool {
        CharacterClass.areFieldValue(value.utf8.span)
            && value.utf8.first.map(CharacterClass.isBlank) != true
            && value.utf8.last.map(CharacterClass.isBlank) != true
    }

    /// Whether the comma-separated list field `name` has the element `token`, in any case. For
    /// fields whose elements are tokens: `Connection`, `Upgrade`.
    /// - Precondition: `token` is in lower case.
    public func hasToken(_ token: String, in name: HTTPHeaderName) -> Bool {
        fields.contains { $0.name == name && Self.list($0.value.utf8.span, has: token.utf8.span) }
    }

    private static func list(_ list: Span<UInt8>, has token: Span<UInt8>) -> Bool {
        var start = 0
        while start <= list.count {
            var end = start
            while end < list.count, list[end] != UInt8(ascii: ",") { end += 1 }
            if element(list.extracting(start..<end), is: token) { return true }
            start = end + 1
        }
        return false
    }

    /// Whether `element`, without its white space and in lower case, is `token`.
    private static func element(_ element: Span<UInt8>, is token: Span<UInt8>) -> Bool {
        var start = 0
        while start < element.count, CharacterClass.isBlank(element[start]) { start += 1 }
        guard element.count - start >= token.count else { return false }
        for index in 0..<token.count
        where CharacterClass.lowercased(element[start + index]) != token[index] { return false }
        for index in (start + token.count)..<element.count
        where !CharacterClass.isBlank(element[index]) { return false }
        return true
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
    mutating func add(_ name: HTTPHeaderName, bytes: Span<UInt8>) {
        let value = bytes.withUnsafeBufferPointer {
            String(decoding: CharacterClass.trimmed($0[...]), as: UTF8.self)
        }
        fields.append(Field(name: name, value: value))
    }

    /// Appends the field lines to `bytes`, without the empty line that ends them.
    func encode(into bytes: inout [UInt8]) {
        for field in fields { Self.encode(field.name, field.value, into: &bytes) }
    }

    /// Appends one field line to `bytes`.
    static func encode(_ name: HTTPHeaderName, _ value: String, into bytes: inout [UInt8]) {
        bytes.append(text: name.text)
        bytes.append(UInt8(ascii: ":"))
        bytes.append(UInt8(ascii: " "))
        bytes.append(text: value)
        bytes.appendLineEnd()
    }
}

/// Allows dictionary literals; the order is kept.
extension HTTPHeaders: ExpressibleByDictionaryLiteral {
    /// The fields of `elements`, in that order.
    public init(dictionaryLiteral elements: (HTTPHeaderName, String)...) {
        reserveCapacity(elements.count)
        for (name, value) in elements { add(name, value) }
    }
}
