// A recursive-descent parser (RFC 8259) over a span of bytes. It stores an offset and never the
// span; the limits bound the nesting and so the recursion.

/// One parse of one text.
struct JSONParser {
    let limits: JSONLimits
    /// The offset of the next byte.
    private(set) var offset = 0
    private var depth = 0
    private var valueCount = 0

    init(limits: JSONLimits) {
        self.limits = limits
    }

    /// Parses `bytes` as one value.
    mutating func parseText(_ bytes: Span<UInt8>) throws(JSONError) -> JSONValue {
        guard bytes.count <= limits.byteCountMax else {
            throw JSONError(.tooLarge(limit: limits.byteCountMax), at: limits.byteCountMax)
        }
        let value = try parseValue(bytes)
        skipSpace(bytes)
        guard offset == bytes.count else { throw JSONError(.trailingBytes, at: offset) }
        return value
    }

    private mutating func parseValue(_ bytes: Span<UInt8>) throws(JSONError) -> JSONValue {
        valueCount += 1
        guard valueCount <= limits.valueCountMax else {
            throw JSONError(.tooManyValues(limit: limits.valueCountMax), at: offset)
        }
        switch try nextAfterSpace(bytes) {
        case UInt8(ascii: "{"): return try parseObject(bytes)
        case UInt8(ascii: "["): return try parseArray(bytes)
        case UInt8(ascii: "\""): return .string(try parseString(bytes))
        case UInt8(ascii: "t"): return try parseWord("true", .bool(true), bytes)
        case UInt8(ascii: "f"): return try parseWord("false", .bool(false), bytes)
        case UInt8(ascii: "n"): return try parseWord("null", .null, bytes)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            return try parseNumber(bytes)
        case let byte:
            throw JSONError(.unexpectedByte(byte, expected: "a value"), at: offset)
        }
    }

    private mutating func parseArray(_ bytes: Span<UInt8>) throws(JSONError) -> JSONValue {
        try enter()
        var elements: [JSONValue] = []
        if try nextAfterSpace(bytes) == UInt8(ascii: "]") {
            leave()
            return .array(elements)
        }
        while true {
            elements.append(try parseValue(bytes))
            if try endsList(with: UInt8(ascii: "]"), "',' or ']'", bytes) { break }
        }
        leave()
        return .array(elements)
    }

    private mutating func parseObject(_ bytes: Span<UInt8>) throws(JSONError) -> JSONValue {
        let start = offset
        try enter()
        var keys: [String] = []
        var values: [JSONValue] = []
        var isEmpty = false
        if try nextAfterSpace(bytes) == UInt8(ascii: "}") { isEmpty = true }
        while !isEmpty {
            let quote = try nextAfterSpace(bytes)
            guard quote == UInt8(ascii: "\"") else {
                throw JSONError(.unexpectedByte(quote, expected: "a key"), at: offset)
            }
            keys.append(try parseString(bytes))
            let colon = try nextAfterSpace(bytes)
            guard colon == UInt8(ascii: ":") else {
                throw JSONError(.unexpectedByte(colon, expected: "':'"), at: offset)
            }
            offset += 1
            values.append(try parseValue(bytes))
            if try endsList(with: UInt8(ascii: "}"), "',' or '}'", bytes) { break }
        }
        leave()
        do {
            return .object(try JSONObject(keys: keys, values: values))
        } catch {
            throw JSONError(.duplicateKey(error.key), at: start)
        }
    }

    /// Consumes a comma and returns false, or returns true at the closing bracket `end`.
    private mutating func endsList(
        with end: UInt8,
        _ expected: String,
        _ bytes: Span<UInt8>
    ) throws(JSONError) -> Bool {
        let byte = try nextAfterSpace(bytes)
        if byte == end { return true }
        guard byte == UInt8(ascii: ",") else {
            throw JSONError(.unexpectedByte(byte, expected: expected), at: offset)
        }
        offset += 1
        return false
    }

    /// Consumes an opening bracket.
    private mutating func enter() throws(JSONError) {
        guard depth < limits.depthMax else {
            throw JSONError(.tooDeep(limit: limits.depthMax), at: offset)
        }
        depth += 1
        offset += 1
    }

    /// Consumes a closing bracket.
    private mutating func leave() {
        depth -= 1
        offset += 1
    }

    private mutating func parseWord(
        _ word: StaticString,
        _ value: JSONValue,
        _ bytes: Span<UInt8>
    ) throws(JSONError) -> JSONValue {
        for expected in word.description.utf8 {
            guard offset < bytes.count else { throw JSONError(.unexpectedEnd, at: offset) }
            guard bytes[offset] == expected else {
                throw JSONError(
                    .unexpectedByte(bytes[offset], expected: "\(word)"),
                    at: offset
                )
            }
            offset += 1
        }
        return value
    }

    /// The next byte that is not white space; it is not consumed.
    private mutating func nextAfterSpace(_ bytes: Span<UInt8>) throws(JSONError) -> UInt8 {
        skipSpace(bytes)
        guard offset < bytes.count else { throw JSONError(.unexpectedEnd, at: offset) }
        return bytes[offset]
    }

    private mutating func skipSpace(_ bytes: Span<UInt8>) {
        while offset < bytes.count {
            switch bytes[offset] {
            case 0x20, 0x0A, 0x0D, 0x09: offset += 1
            default: return
            }
        }
    }

    private mutating func parseString(_ bytes: Span<UInt8>) throws(JSONError) -> String {
        let (string, end) = try JSONString.parse(bytes, from: offset)
        offset = end
        return string
    }

    private mutating func parseNumber(_ bytes: Span<UInt8>) throws(JSONError) -> JSONValue {
        let (value, end) = try JSONNumber.parse(bytes, from: offset)
        offset = end
        return value
    }
}
