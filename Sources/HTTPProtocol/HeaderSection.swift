// Field lines up to the empty line: the part that requests, responses and trailers have in common.

/// Reads the fields of a message, as far as they have arrived.
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
            // The empty line at the end doesn't count: a section of just the limit is allowed.
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

    /// Adds the field of one line. A line that starts with white space would be a folded
    /// continuation (RFC 9112 section 5.2): its name is no token, and neither is one before which
    /// or after which a space stands.
    private mutating func add(_ line: [UInt8]) throws(HTTPError) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
            let name = HTTPHeaderName(String(decoding: line[..<colon], as: UTF8.self)),
            line[(colon + 1)...].allSatisfy(CharacterClass.isFieldValue)
        else { throw .malformedHeader }
        headers.add(name, bytes: Array(line[(colon + 1)...]))
    }
}
