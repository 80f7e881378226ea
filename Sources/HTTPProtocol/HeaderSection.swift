// Field lines up to the empty line, in requests, responses and trailers.

/// Reads the fields of a message incrementally.
struct HeaderSection {
    private var headers = HTTPHeaders()
    private var byteCount = 0

    /// Reads lines from `input` until the empty one.
    /// - Returns: the fields, or nil where more bytes are needed.
    mutating func read(
        from input: inout InputBuffer,
        limits: HTTPLimits
    ) throws(HTTPError) -> HTTPHeaders? {
        while true {
            // The final empty line does not count: a section of exactly the limit is allowed.
            switch input.takeLine(max: limits.headerBytesMax - byteCount) {
            case .incomplete: return nil
            case .tooLong: throw .headersTooLarge
            case .malformed: throw .malformedHeader
            case .line(let line):
                if line.isEmpty { return headers }
                byteCount += line.count + 2
                guard byteCount <= limits.headerBytesMax, headers.count < limits.headerCountMax
                else { throw .headersTooLarge }
                try add(line)
            }
        }
    }

    /// Adds the field of one line. A folded continuation (RFC 9112 section 5.2) and spaces around
    /// the name are refused, since the name is then not a token.
    private mutating func add(_ line: [UInt8]) throws(HTTPError) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
            let name = HTTPHeaderName(String(decoding: line[..<colon], as: UTF8.self)),
            line[(colon + 1)...].allSatisfy(CharacterClass.isFieldValue)
        else { throw .malformedHeader }
        headers.add(name, bytes: Array(line[(colon + 1)...]))
    }
}
