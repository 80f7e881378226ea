// Decompression of deflate (RFC 1951) by zlib, one piece at a time: at most one piece of output is
// in memory, however much a few bytes expand to.

import CZlib

/// A decompressor for raw deflate, without zlib's header. Its state takes about 7 KiB and the
/// window.
package final class Inflater {
    /// On the heap, since zlib stores the address of its state.
    private let state: UnsafeMutablePointer<z_stream>
    /// Whether the final block has ended.
    package private(set) var isAtEnd = false
    /// Whether the input so far ends with a whole block.
    package private(set) var isBetweenBlocks = false
    /// Whether more output may follow from input that was already consumed.
    package private(set) var hasPendingOutput = false

    /// Creates a decompressor with a window of 2^`windowBits` bytes, 8 to 15.
    /// - Throws: `outOfMemory`.
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

    /// Decompresses `input` into at most `byteCountMax` bytes, and removes the consumed bytes from
    /// it.
    /// - Throws: `malformed`, `outOfMemory`.
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
        // A call without work does not change whether the input ends with a whole block.
        if status != Z_BUF_ERROR {
            isBetweenBlocks = isAtEnd || state.pointee.data_type & 128 != 0
        }
        hasPendingOutput = !isAtEnd && (state.pointee.avail_out == 0 || status == Z_DATA_ERROR)
        switch status {
        case Z_OK, Z_STREAM_END: return output
        // Output before an error is returned, so that the result does not depend on how the input
        // is split.
        case Z_DATA_ERROR where !output.isEmpty: return output
        // There was no input and no output space: not an error, more input may follow.
        case Z_BUF_ERROR where input.isEmpty: return output
        case Z_MEM_ERROR: throw .outOfMemory
        default: throw .malformed
        }
    }

    /// Decompresses all of `input`, which is not empty, into memory of the caller.
    ///
    /// For input that is expected to fit and to be valid; what is unusual is left to `next`.
    /// - Returns: the number of bytes written; nil if they do not fit, if `input` is not valid, or
    ///   if it has a final block, and then `reset` must follow.
    package func decompress(
        _ input: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) -> Int? {
        state.pointee.next_in = UnsafeMutablePointer(
            mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self)
        )
        state.pointee.avail_in = UInt32(input.count)
        state.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        state.pointee.avail_out = UInt32(output.count)
        let status = inflate(state, Z_NO_FLUSH)
        isBetweenBlocks = state.pointee.data_type & 128 != 0
        // Full memory may hide that more output is to come.
        guard status == Z_OK, state.pointee.avail_in == 0, state.pointee.avail_out > 0 else {
            return nil
        }
        return output.count - Int(state.pointee.avail_out)
    }

    /// Starts a new stream that refers to nothing before it.
    package func reset() {
        inflateReset(state)
        isAtEnd = false
        isBetweenBlocks = false
        hasPendingOutput = false
    }

    /// Starts the next stream after a final block. It begins at the next byte of input and may
    /// refer to earlier output.
    package func startNextStream() {
        // Like the documented `inflateReset`, but it keeps the window.
        inflateResetKeep(state)
        isAtEnd = false
    }
}
