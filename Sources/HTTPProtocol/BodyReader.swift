// Decodes a message body incrementally (chunks: RFC 9112 section 7.1).

/// Reads one body piece by piece, for client and server.
struct BodyReader {
    /// The result of a read.
    enum Piece {
        case bytes([UInt8])
        case end
    }

    private enum State {
        case length(remaining: Int)
        case chunkSize
        case chunk(remaining: Int)
        case chunkEnd
        case trailers(HeaderSection)
        case untilEnd
        case finished
    }

    private var state: State
    private var byteCount = 0

    init(_ framing: BodyFraming) {
        switch framing {
        case .length(let count): state = .length(remaining: count)
        case .chunked: state = .chunkSize
        case .untilEnd: state = .untilEnd
        }
    }

    /// Whether the body ends when the stream ends.
    var endsWithStream: Bool {
        if case .untilEnd = state { true } else { false }
    }

    /// Whether more bytes of the body are expected, and the body is not known to exceed `bytesMax`.
    func expectsMore(bytesMax: Int) -> Bool {
        switch state {
        case .length(let remaining): remaining > 0 && byteCount + remaining <= bytesMax
        case .finished: false
        default: true
        }
    }

    /// The next piece of a body of at most `bytesMax` bytes, or nil where more bytes are needed.
    /// After `.end` nothing follows.
    mutating func next(
        from input: inout InputBuffer,
        bytesMax: Int,
        limits: HTTPLimits
    ) throws(HTTPError) -> Piece? {
        while true {
            switch state {
            case .length(let remaining):
                guard byteCount + remaining <= bytesMax else { throw .bodyTooLarge }
                guard remaining > 0 else { return finish() }
                guard let bytes = take(remaining, from: &input) else { return nil }
                state = .length(remaining: remaining - bytes.count)
                return .bytes(bytes)
            case .chunkSize:
                guard let size = try chunkSize(from: &input, limits: limits) else { return nil }
                guard size <= bytesMax - byteCount else { throw .bodyTooLarge }
                state = size > 0 ? .chunk(remaining: size) : .trailers(HeaderSection())
            case .chunk(let remaining):
                guard let bytes = take(remaining, from: &input) else { return nil }
                let isWhole = bytes.count == remaining
                state = isWhole ? .chunkEnd : .chunk(remaining: remaining - bytes.count)
                return .bytes(bytes)
            case .chunkEnd:
                switch input.takeLine(max: 0) {
                case .line: state = .chunkSize
                case .incomplete: return nil
                case .tooLong, .malformed: throw .malformedChunk
                }
            case .trailers(var section):
                // Trailers are validated like fields and then dropped: nothing here uses them, and
                // merging them into the fields would allow smuggling.
                guard try section.read(from: &input, limits: limits) != nil else {
                    state = .trailers(section)
                    return nil
                }
                return finish()
            case .untilEnd:
                guard let bytes = take(.max, from: &input) else { return nil }
                guard byteCount <= bytesMax else { throw .bodyTooLarge }
                return .bytes(bytes)
            case .finished:
                return nil
            }
        }
    }

    private mutating func finish() -> Piece {
        state = .finished
        return .end
    }

    private mutating func take(_ max: Int, from input: inout InputBuffer) -> [UInt8]? {
        guard !input.isEmpty else { return nil }
        let bytes = input.take(max: max)
        byteCount += bytes.count
        return bytes
    }

    /// Reads the size line of a chunk; extensions are skipped.
    private func chunkSize(
        from input: inout InputBuffer,
        limits: HTTPLimits
    ) throws(HTTPError) -> Int? {
        let line: [UInt8]
        switch input.takeLine(max: limits.chunkLineBytesMax) {
        case .line(let found): line = found
        case .incomplete: return nil
        case .tooLong, .malformed: throw .malformedChunk
        }
        let digits = line.prefix { CharacterClass.hexadecimalValue($0) != nil }
        // Fifteen digits cannot overflow; more are refused, even leading zeros.
        guard (1...15).contains(digits.count) else { throw .malformedChunk }
        guard ChunkExtensions.isValid(line[digits.endIndex...]) else { throw .malformedChunk }
        return digits.reduce(0) { size, digit in
            size << 4 | Int(CharacterClass.hexadecimalValue(digit) ?? 0)
        }
    }
}
