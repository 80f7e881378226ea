// Deflate (RFC 1951) by zlib, a message at a time.

import CZlib

/// A stream of bare deflate, without zlib's header.
///
/// It holds 2^(`windowBits` + 2) + 2^(`memoryLevel` + 9) bytes and about 6 KiB: 262 KiB with 15 and 8.
package final class Deflater {
    /// zlib keeps the address of its state, so it lies still.
    private let state: UnsafeMutablePointer<z_stream>

    /// A stream that refers up to 2^`windowBits` bytes back, 9 to 15.
    ///
    /// zlib cannot do 8: its documentation says so, and of bare deflate it refuses it.
    /// - Parameters:
    ///   - level: 1 for the fastest to 9 for the smallest.
    ///   - windowBits: how far back it refers.
    ///   - memoryLevel: 1 to 9; less memory packs less.
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

    /// What `bytes` pack to, with an empty stored block behind it: the last four bytes are
    /// 00 00 FF FF.
    /// - Precondition: there are some, 1 GiB at most. For none zlib might write nothing at all.
    package func pack(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        precondition(!bytes.isEmpty, "nothing to pack")
        return bytes.withUnsafeBufferPointer { input -> [UInt8] in
            state.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
            state.pointee.avail_in = UInt32(input.count)
            var packed: [UInt8] = []
            // Room for all at once, and for the block behind it.
            let capacity = Int(deflateBound(state, UInt(input.count))) + 16
            repeat {
                packed += [UInt8](unsafeUninitializedCapacity: capacity) { output, count in
                    state.pointee.next_out = output.baseAddress
                    state.pointee.avail_out = UInt32(capacity)
                    deflate(state, Z_SYNC_FLUSH)
                    count = capacity - Int(state.pointee.avail_out)
                }
            } while state.pointee.avail_out == 0
            return packed
        }
    }

    /// Forgets what was packed: what comes next refers to nothing before.
    package func forget() { deflateReset(state) }
}
