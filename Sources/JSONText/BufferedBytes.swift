// Byte-by-byte reading of a stream, with one piece in memory.

/// A stream of bytes with a read position.
struct BufferedBytes {
    private let stream: any ByteSource
    private var piece: [UInt8] = []
    private var position = 0
    /// The offset of the piece in the stream.
    private var start = 0

    init(_ stream: any ByteSource) {
        self.stream = stream
    }

    /// The read position in the stream, from 0.
    var offset: Int { start + position }

    /// The next byte; nil at the end.
    mutating func peek() throws -> UInt8? {
        if position < piece.count { return piece[position] }
        return try refill() ? piece[position] : nil
    }

    /// Skips the byte that `peek` returned.
    mutating func skip() {
        position += 1
    }

    /// The next byte that is not white space; nil at the end.
    mutating func peekAfterSpace() throws -> UInt8? {
        while let byte = try peek() {
            switch byte {
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            default: return byte
            }
        }
        return nil
    }

    /// Reads the plain bytes of a string, up to a quote, backslash, control character, or the end
    /// of the piece.
    mutating func takePlain() throws -> ArraySlice<UInt8> {
        guard try peek() != nil else { return [] }
        let first = position
        piece.withUnsafeBufferPointer { piece in
            while position < piece.count {
                let byte = piece[position]
                if byte == 0x22 || byte == 0x5C || byte < 0x20 { break }
                position += 1
            }
        }
        return piece[first..<position]
    }

    /// The next `count` bytes, not consumed; nil if there are fewer.
    mutating func peek(count: Int) throws -> [UInt8]? {
        while piece.count - position < count {
            guard let more = try stream.next() else { return nil }
            start += position
            piece = piece[position...] + more
            position = 0
        }
        return Array(piece[position..<position + count])
    }

    private mutating func refill() throws -> Bool {
        let isFirst = start == 0 && piece.isEmpty
        start += piece.count
        position = 0
        piece = []
        guard let next = try stream.next() else { return false }
        piece = next
        while isFirst, piece.count < 3, let more = try stream.next() { piece += more }
        if isFirst, piece.starts(with: [0xEF, 0xBB, 0xBF]) {
            position = 3
            return try position < piece.count || refill()
        }
        return true
    }
}
