// Values of a bounded size out of a text of any: what one conversation is made of.

/// How large one element of a file may be; going beyond leaves that element out.
public struct JSONElementLimits: Sendable {
    /// The most bytes of the text of one element.
    public var byteCountMax: Int
    /// The most values of one element, which bounds the memory that it takes.
    public var valueCountMax: Int
    /// The deepest nesting inside an element; messages that hold their replies do not count.
    public var depthMax: Int

    /// Limits that the exports of other systems keep.
    public init(
        byteCountMax: Int = 64 << 20,
        valueCountMax: Int = 1_000_000,
        depthMax: Int = 64
    ) {
        self.byteCountMax = byteCountMax
        self.valueCountMax = valueCountMax
        self.depthMax = depthMax
    }
}

/// Reads values as trees, and counts what they cost.
struct JSONTreeReader {
    let limits: JSONElementLimits
    private let start: Int64
    private var valueCount = 0
    /// Keys that stood twice in one object.
    private(set) var duplicateKeyCount = 0

    /// The element that begins where `reader` stands.
    init(_ reader: JSONReader, limits: JSONElementLimits) {
        self.limits = limits
        start = reader.offset
    }

    /// The value that comes next.
    mutating func value(from reader: inout JSONReader) throws -> JSONTree {
        try value(try token(from: &reader), from: &reader, depth: 0)
    }

    /// The next token, where the element still may have one.
    mutating func token(from reader: inout JSONReader) throws -> JSONToken {
        let token = try reader.next()
        valueCount += 1
        guard valueCount <= 2 * limits.valueCountMax else {
            throw reader.error(.tooManyValues(limit: limits.valueCountMax))
        }
        guard reader.offset - start <= Int64(limits.byteCountMax) else {
            throw reader.error(.elementTooLarge(limit: limits.byteCountMax))
        }
        return token
    }

    /// Notes a key that stood twice.
    mutating func noteDuplicateKey() {
        duplicateKeyCount += 1
    }

    private mutating func value(
        _ token: JSONToken,
        from reader: inout JSONReader,
        depth: Int
    ) throws -> JSONTree {
        switch token {
        case .beginObject: try object(from: &reader, depth: depth + 1)
        case .beginArray: try array(from: &reader, depth: depth + 1)
        case .string(let string): .string(string)
        case .number(let number): .number(number)
        case .bool(let bool): .bool(bool)
        // The reader gives a value where one is due.
        case .null, .key, .end, .endArray, .endObject: .null
        }
    }

    private mutating func array(
        from reader: inout JSONReader,
        depth: Int
    ) throws -> JSONTree {
        try require(depth, reader)
        var elements: [JSONTree] = []
        while true {
            let token = try token(from: &reader)
            if case .endArray = token { return .array(elements) }
            elements.append(try value(token, from: &reader, depth: depth))
        }
    }

    private mutating func object(
        from reader: inout JSONReader,
        depth: Int
    ) throws -> JSONTree {
        try require(depth, reader)
        var members = JSONMembers()
        while case .key(let key) = try token(from: &reader) {
            let value = try value(try token(from: &reader), from: &reader, depth: depth)
            if !members.set(value, for: key) { noteDuplicateKey() }
        }
        return .object(members)
    }

    private func require(_ depth: Int, _ reader: JSONReader) throws {
        guard depth <= limits.depthMax else { throw reader.error(.tooDeep(limit: limits.depthMax)) }
    }
}
