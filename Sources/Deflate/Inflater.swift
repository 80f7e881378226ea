// Deflate (RFC 1951) undone by zlib, a piece at a time: however much a few bytes unpack to, no more than
// one piece is held.

import CZlib

/// Bare deflate, without zlib's header, that is being unpacked. It holds about 7 KiB, and its window.
package final class Inflater {
    /// zlib keeps the address of its state, so it lies still.
    private let state: UnsafeMutablePointer<z_stream>
    /// Whether the final block has ended.
    package private(set) var isAtEnd = false
    /// Whether all that was taken ends with a whole block.
    package private(set) var isBetweenBlocks = false
    /// Whether more may come of what was taken already.
    package private(set) var holdsMore = false

    /// An unpacker for references up to 2^`windowBits` bytes back, 8 to 15.
    package init(windowBits: Int) throws(DeflateError) {
        let state = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        state.initialize(to: z_stream())
        let status = inflateInit2_(
            state,
            -Int32(windowBits),
            ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size)
        )
        guard status == Z_OK else {
            state.deallocate()
            throw .outOfMemory
        }
        self.state = state
    }

    deinit {
        inflateEnd(state)
        state.deinitialize(count: 1)
        state.deallocate()
    }

    /// What `input` unpacks to, `byteCountMax` bytes of it at most. What was read is taken off.
    package func next(
        _ input: inout ArraySlice<UInt8>,
        atMost byteCountMax: Int
    ) throws(DeflateError) -> [UInt8] {
        var status = Z_OK
        var unreadCount = 0
        let output = input.withUnsafeBufferPointer { input in
            [UInt8](unsafeUninitializedCapacity: byteCountMax) { output, count in
                state.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                state.pointee.avail_in = UInt32(input.count)
                state.pointee.next_out = output.baseAddress
                state.pointee.avail_out = UInt32(byteCountMax)
                status = inflate(state, Z_NO_FLUSH)
                unreadCount = Int(state.pointee.avail_in)
                count = byteCountMax - Int(state.pointee.avail_out)
            }
        }
        input = input.suffix(unreadCount)
        isAtEnd = status == Z_STREAM_END
        // A call that finds nothing to do leaves the place between two blocks, as zlib tells it.
        if status != Z_BUF_ERROR {
            isBetweenBlocks = isAtEnd || state.pointee.data_type & 128 != 0
        }
        holdsMore = !isAtEnd && (state.pointee.avail_out == 0 || status == Z_DATA_ERROR)
        switch status {
        case Z_OK, Z_STREAM_END: return output
        // What comes before a fault does so wherever the input is cut.
        case Z_DATA_ERROR where !output.isEmpty: return output
        // Neither bytes to read nor room to write is no harm: more bytes come.
        case Z_BUF_ERROR where input.isEmpty: return output
        case Z_MEM_ERROR: throw .outOfMemory
        default: throw .malformed
        }
    }

    /// Goes on after a final block with the stream that begins at the next byte, and may refer to
    /// what came before.
    package func goOn() {
        // What the documented `inflateReset` does, but that it keeps the window.
        inflateResetKeep(state)
        isAtEnd = false
    }
}
