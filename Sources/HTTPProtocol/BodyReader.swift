// Takes a body out of the bytes that arrive, RFC 9112 section 7.1 for chunks.

/// Reads one body, piece by piece, for either side.
struct BodyReader {
    /// What was read.
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

    /// Whether the end of the stream is the end of this body.
    var endsWithStream: Bool {
        if case .untilEnd = state { true } else { false }
    }

    /// Whether bytes of this body are still to come, and not known to be more than `bytesMax`.
    func isWelcome(bytesMax: Int) -> Bool {
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
                // Checked like fields, then dropped: nothing of ours uses trailers, and merging
                // them into the fields is another way of smuggling.
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

    /// The size that a chunk's first line gives; its extensions are skipped.
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
        // Fifteen digits can't overflow; more are a trick, even as leading zeros.
        guard (1...15).contains(digits.count) else { throw .malformedChunk }
        guard ChunkExtensions.isValid(line[digits.endIndex...]) else { throw .malformedChunk }
        return digits.reduce(0) { size, digit in
            size << 4 | Int(CharacterClass.hexadecimalValue(digit) ?? 0)
        }
    }
}
