// Values of bounded size from a text of any size, such as one conversation of an export.

/// Reads whole values and checks their size against limits.
public struct JSONTreeReader {
    let limits: JSONElementLimits
    private let start: Int
    private var valueCount = 0
    /// The number of members that a later member with the same key replaced.
    public private(set) var duplicateKeyCount = 0

    /// Starts an element at the position of `reader`.
    public init(_ reader: JSONReader, limits: JSONElementLimits) {
        self.limits = limits
        start = reader.offset
    }

    /// Reads the next value.
    /// - Throws: `JSONError`, or what the stream throws.
    public mutating func value(from reader: inout JSONReader) throws -> JSONValue {
        try value(try token(from: &reader), from: &reader, depth: 0)
    }

    /// Reads the next token if the element is within its limits.
    /// - Throws: `JSONError`, or what the stream throws.
    public mutating func token(from reader: inout JSONReader) throws -> JSONToken {
        let token = try reader.next()
        valueCount += 1
        guard valueCount <= 2 * limits.valueCountMax else {
            throw reader.error(.tooManyValues(limit: limits.valueCountMax))
        }
        guard reader.offset - start <= limits.byteCountMax else {
            throw reader.error(.tooLarge(limit: limits.byteCountMax))
        }
        return token
    }

    /// Creates an object from members that were read one by one. The last value of a repeated key
    /// wins, as in every browser's parser.
    public mutating func object(of members: [(key: String, value: JSONValue)]) -> JSONObject {
        let (object, duplicateCount) = JSONObject.lastOf(members)
        duplicateKeyCount += duplicateCount
        return object
    }

    private mutating func value(
        _ token: JSONToken,
        from reader: inout JSONReader,
        depth: Int
    ) throws -> JSONValue {
        switch token {
        case .beginObject: try object(from: &reader, depth: depth + 1)
        case .beginArray: try array(from: &reader, depth: depth + 1)
        case .string(let string): .string(string)
        case .number(let number): .number(number)
        case .bool(let bool): .bool(bool)
        // The reader returns a value where one is expected.
        case .null, .key, .end, .endArray, .endObject: .null
        }
    }

    private mutating func array(
        from reader: inout JSONReader,
        depth: Int
    ) throws -> JSONValue {
        try require(depth, reader)
        var elements: [JSONValue] = []
        while true {
            let token = try token(from: &reader)
            if case .endArray = token { return .array(elements) }
            elements.append(try value(token, from: &reader, depth: depth))
        }
    }

    private mutating func object(
        from reader: inout JSONReader,
        depth: Int
    ) throws -> JSONValue {
        try require(depth, reader)
        var members: [(key: String, value: JSONValue)] = []
        while case .key(let key) = try token(from: &reader) {
            members.append(
                (key, try value(try token(from: &reader), from: &reader, depth: depth))
            )
        }
        return .object(object(of: members))
    }

    private func require(_ depth: Int, _ reader: JSONReader) throws {
        guard depth <= limits.depthMax else { throw reader.error(.tooDeep(limit: limits.depthMax)) }
    }
}
