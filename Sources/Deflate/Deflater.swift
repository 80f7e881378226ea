// Compression with deflate (RFC 1951) by zlib, one message at a time.

import CZlib

/// A compressor for raw deflate, without zlib's header.
///
/// Its state takes 2^(`windowBits` + 2) + 2^(`memoryLevel` + 9) bytes and about 6 KiB: 262 KiB with
/// 15 and 8.
package final class Deflater {
    /// On the heap, since zlib stores the address of its state.
    private let state: UnsafeMutablePointer<z_stream>

    /// Creates a compressor with a window of 2^`windowBits` bytes, 9 to 15.
    ///
    /// zlib refuses 8 for raw deflate.
    /// - Parameters:
    ///   - level: 1 for the fastest to 9 for the smallest.
    ///   - windowBits: base 2 logarithm of the window size.
    ///   - memoryLevel: 1 to 9; less memory compresses less.
    /// - Throws: `outOfMemory`.
    package init(level: Int, windowBits: Int, memoryLevel: Int) throws(DeflateError) {
        let state = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        state.initialize(to: z_stream())
        let status = deflateInit2_(
            state,
            Int32(level),
            Z_DEFLATED,
            -Int32(windowBits),
            Int32(memoryLevel),
            Z_DEFAULT_STRATEGY,
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
        deflateEnd(state)
        state.deinitialize(count: 1)
        state.deallocate()
    }

    /// Compresses `bytes` and ends the output with an empty stored block, so its last four bytes
    /// are 00 00 FF FF (Z_SYNC_FLUSH).
    /// - Precondition: `bytes` is not empty and has at most 1 GiB. For empty input zlib might write
    ///   nothing.
    package func compress(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        precondition(!bytes.isEmpty, "nothing to compress")
        return bytes.withUnsafeBufferPointer { input -> [UInt8] in
            state.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
            state.pointee.avail_in = UInt32(input.count)
            var compressed: [UInt8] = []
            // Enough for all output and the empty block.
            let capacity = Int(deflateBound(state, UInt(input.count))) + 16
            repeat {
                compressed += [UInt8](unsafeUninitializedCapacity: capacity) { output, count in
                    state.pointee.next_out = output.baseAddress
                    state.pointee.avail_out = UInt32(capacity)
                    deflate(state, Z_SYNC_FLUSH)
                    count = capacity - Int(state.pointee.avail_out)
                }
            } while state.pointee.avail_out == 0
            return compressed
        }
    }

    /// The same, into memory of the caller.
    /// - Returns: the number of bytes written; nil if they do not fit, and then `reset` must follow.
    /// - Precondition: `bytes` is not empty and has at most 1 GiB.
    package func compress(
        _ bytes: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) -> Int? {
        precondition(!bytes.isEmpty, "nothing to compress")
        state.pointee.next_in = UnsafeMutablePointer(
            mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        )
        state.pointee.avail_in = UInt32(bytes.count)
        state.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        state.pointee.avail_out = UInt32(output.count)
        deflate(state, Z_SYNC_FLUSH)
        // Full memory may hide that more output is to come.
        guard state.pointee.avail_out > 0 else { return nil }
        return output.count - Int(state.pointee.avail_out)
    }

    /// Clears the window: later output does not refer to earlier input.
    package func reset() { deflateReset(state) }
}
