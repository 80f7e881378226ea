// Field lines up to the empty line, in requests, responses and trailers.

/// Reads the fields of a message incrementally.
struct HeaderSection {
    /// Room for the fields of most messages.
    private static let usualCount = 12

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
            let line = try input.takeLine(max: limits.headerBytesMax - byteCount) {
                (line) throws(HTTPError) in
                try add(line, limits)
            }
            switch line {
            case .incomplete: return nil
            case .tooLong: throw .headersTooLarge
            case .malformed: throw .malformedHeader
            case .line(let isLast): if isLast { return headers }
            }
        }
    }

    /// Adds the field of one line; true for the empty line. A folded continuation (RFC 9112 section
    /// 5.2) and spaces around the name are refused, since the name is then not a token.
    private mutating func add(_ line: Span<UInt8>, _ limits: HTTPLimits) throws(HTTPError) -> Bool {
        if line.isEmpty { return true }
        byteCount += line.count + 2
        guard byteCount <= limits.headerBytesMax, headers.count < limits.headerCountMax else {
            throw .headersTooLarge
        }
        if headers.count == 0 { headers.reserveCapacity(Self.usualCount) }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
            let name = HTTPHeaderName(line.extracting(..<colon))
        else { throw .malformedHeader }
        let value = line.extracting((colon + 1)...)
        guard CharacterClass.areFieldValue(value) else { throw .malformedHeader }
        headers.add(name, bytes: value)
        return false
    }
}
