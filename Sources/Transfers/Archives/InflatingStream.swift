// Deflate (RFC 1951) undone by zlib, a piece at a time: however much a few bytes unpack to, no more than
// one piece is held.

import CZlib

/// What a stream of deflated bytes unpacks to.
final class InflatingStream: ByteSource {
    private let packed: any ByteSource
    private let name: String
    /// zlib keeps the address of its state, so it lies still.
    private let state: UnsafeMutablePointer<z_stream>
    private let isReady: Bool
    private var input: [UInt8] = []
    private var inputStart = 0
    /// Whether a piece was filled to its end, so that zlib may hold more of it.
    private var isFull = false
    private var isDone = false

    init(_ packed: any ByteSource, name: String) {
        self.packed = packed
        self.name = name
        state = .allocate(capacity: 1)
        state.initialize(to: z_stream())
        // Negative: bare deflate without zlib's header.
        isReady =
            inflateInit2_(
                state,
                -MAX_WBITS,
                ZLIB_VERSION,
                Int32(MemoryLayout<z_stream>.size)
            ) == Z_OK
    }

    deinit {
        if isReady { inflateEnd(state) }
        state.deinitialize(count: 1)
        state.deallocate()
    }

    func next() throws -> [UInt8]? {
        guard isReady else { throw ArchiveError.damaged(what: "zlib cannot unpack it") }
        while !isDone {
            if inputStart == input.count, !isFull {
                guard let piece = try packed.next() else {
                    throw ArchiveError.damaged(what: "\(quoted(name)) ends too early")
                }
                (input, inputStart) = (piece, 0)
            }
            let output = try inflatePiece()
            if !output.isEmpty { return output }
        }
        guard inputStart == input.count, try packed.next() == nil else {
            throw ArchiveError.damaged(what: "bytes follow the end of \(quoted(name))")
        }
        return nil
    }

    /// What the bytes at hand unpack to, up to one piece.
    private func inflatePiece() throws -> [UInt8] {
        let capacity = PlainByteSource.pieceByteCount
        var status = Z_OK
        let output = input.withUnsafeMutableBufferPointer { input in
            [UInt8](unsafeUninitializedCapacity: capacity) { output, count in
                state.pointee.next_in = input.baseAddress?.advanced(by: inputStart)
                state.pointee.avail_in = UInt32(input.count - inputStart)
                state.pointee.next_out = output.baseAddress
                state.pointee.avail_out = UInt32(capacity)
                status = inflate(state, Z_NO_FLUSH)
                count = capacity - Int(state.pointee.avail_out)
            }
        }
        inputStart = input.count - Int(state.pointee.avail_in)
        isFull = state.pointee.avail_out == 0
        switch status {
        case Z_OK: break
        case Z_STREAM_END: isDone = true
        // Neither bytes to read nor room to write is no harm: more bytes come.
        case Z_BUF_ERROR where inputStart == input.count: break
        default: throw ArchiveError.damaged(what: "\(quoted(name)) cannot be unpacked")
        }
        return output
    }
}
