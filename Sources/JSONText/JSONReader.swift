// A pull parser (RFC 8259) over a stream. Its memory is one piece of the text and one byte for each
// open array or object.

/// A token of a JSON text.
public enum JSONToken: Sendable, Hashable {
    /// `{`
    case beginObject
    /// `}`
    case endObject
    /// `[`
    case beginArray
    /// `]`
    case endArray
    /// The key of the member whose value comes next.
    case key(String)
    /// A string that is not a key.
    case string(String)
    /// A number, finite.
    case number(Double)
    /// `true` or `false`
    case bool(Bool)
    /// `null`
    case null
    /// The end of the text.
    case end
}

/// Reads a JSON text token by token.
public struct JSONReader {
    /// What is allowed at the current position.
    private enum Expectation {
        case value, valueOrEnd, key, keyOrEnd, commaOrEnd, nothing
    }

    let limits: JSONReaderLimits
    var bytes: BufferedBytes
    /// The number of lone surrogates, which are read as U+FFFD: JavaScript and Python write them
    /// for texts that were cut inside an emoji.
    public internal(set) var loneSurrogateCount = 0
    /// Whether strings are stored; false while a value is skipped.
    var keepsStrings = true

    /// For each open array or object, whether it is an object.
    private var open: [Bool] = []
    private var expectation = Expectation.value

    /// Creates a reader.
    /// - Parameters:
    ///   - stream: the text, in UTF-8; a byte order mark at the start is skipped.
    ///   - limits: the limits of the text.
    public init(_ stream: any ByteSource, limits: JSONReaderLimits = JSONReaderLimits()) {
        bytes = BufferedBytes(stream)
        self.limits = limits
    }

    /// The number of open arrays and objects.
    public var depth: Int { open.count }
    /// The number of bytes read.
    public var offset: Int { bytes.offset }

    /// Reads the next token.
    /// - Returns: the token; `end` on every call after the last one.
    /// - Throws: `JSONError`, or what the stream throws.
    public mutating func next() throws -> JSONToken {
        while true {
            guard let byte = try bytes.peekAfterSpace() else {
                guard case .nothing = expectation else { throw error(.unexpectedEnd) }
                return .end
            }
            switch expectation {
            case .nothing: throw error(.trailingBytes)
            case .commaOrEnd:
                if let token = try closing(byte) { return token }
                guard byte == UInt8(ascii: ",") else {
                    throw error(.unexpectedByte(byte, expected: "a comma or the end of a list"))
                }
                bytes.skip()
                expectation = open.last == true ? .key : .value
            case .key, .keyOrEnd:
                if case .keyOrEnd = expectation, let token = try closing(byte) { return token }
                return .key(try key(byte))
            case .value, .valueOrEnd:
                if case .valueOrEnd = expectation, let token = try closing(byte) { return token }
                return try value(byte)
            }
        }
    }

    /// Skips tokens until `depth` arrays and objects are open.
    /// - Parameter depth: at most the current depth.
    /// - Throws: `JSONError`, or what the stream throws.
    public mutating func skip(toDepth depth: Int) throws {
        keepsStrings = false
        defer { keepsStrings = true }
        while open.count > depth { _ = try next() }
    }

    /// Skips one value.
    /// - Throws: `JSONError`, or what the stream throws.
    public mutating func skipValue() throws {
        let depth = depth
        keepsStrings = false
        defer { keepsStrings = true }
        repeat { _ = try next() } while open.count > depth
    }

    func error(_ reason: JSONError.Reason) -> JSONError {
        JSONError(reason, at: bytes.offset)
    }

    // MARK: Parts

    private mutating func closing(_ byte: UInt8) throws -> JSONToken? {
        guard byte == UInt8(ascii: "]") || byte == UInt8(ascii: "}") else { return nil }
        let isObject = byte == UInt8(ascii: "}")
        guard open.last == isObject else { return nil }
        open.removeLast()
        bytes.skip()
        endValue()
        return isObject ? .endObject : .endArray
    }

    private mutating func endValue() {
        expectation = open.isEmpty ? .nothing : .commaOrEnd
    }

    private mutating func begin(isObject: Bool) throws -> JSONToken {
        guard open.count < limits.depthMax else { throw error(.tooDeep(limit: limits.depthMax)) }
        bytes.skip()
        open.append(isObject)
        expectation = isObject ? .keyOrEnd : .valueOrEnd
        return isObject ? .beginObject : .beginArray
    }

    private mutating func key(_ byte: UInt8) throws -> String {
        guard byte == UInt8(ascii: "\"") else {
            throw error(.unexpectedByte(byte, expected: "a key"))
        }
        let key = try readString()
        guard let colon = try bytes.peekAfterSpace() else { throw error(.unexpectedEnd) }
        guard colon == UInt8(ascii: ":") else {
            throw error(.unexpectedByte(colon, expected: "a colon"))
        }
        bytes.skip()
        expectation = .value
        return try key.get(at: bytes.offset)
    }

    private mutating func value(_ byte: UInt8) throws -> JSONToken {
        switch byte {
        case UInt8(ascii: "{"): return try begin(isObject: true)
        case UInt8(ascii: "["): return try begin(isObject: false)
        case UInt8(ascii: "\""):
            let string = try readString()
            endValue()
            return .string(try string.get(at: bytes.offset))
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            let number = try readNumber()
            endValue()
            return .number(number)
        default: throw error(.unexpectedByte(byte, expected: "a value"))
        }
    }

    private mutating func word(_ word: StaticString, _ token: JSONToken) throws -> JSONToken {
        for index in 0..<word.utf8CodeUnitCount {
            guard let byte = try bytes.peek() else { throw error(.unexpectedEnd) }
            guard byte == word.utf8Start[index] else {
                throw error(.unexpectedByte(byte, expected: "\(word)"))
            }
            bytes.skip()
        }
        endValue()
        return token
    }
}
