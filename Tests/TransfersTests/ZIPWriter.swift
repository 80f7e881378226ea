// Writes valid and invalid ZIP archives.

import CZlib

/// Builds an archive.
struct ZIPWriter {
    /// How a file is written, and which fields are false.
    struct Entry {
        var name: [UInt8]
        var content: [UInt8]
        var method = 8
        var flags = 0x800
        /// A false checksum.
        var checksum: UInt32?
        var byteCount: Int?
        var packedByteCount: Int?
        var headerPlace: Int?
        var localName: [UInt8]?
        /// Whether sizes are in a ZIP64 field.
        var isWide = false
        /// Whether sizes follow the content.
        var hasDescriptor = false

        init(_ name: String, _ content: [UInt8], method: Int = 8) {
            self.name = Array(name.utf8)
            self.content = content
            self.method = method
        }

        init(_ name: String, _ content: String) {
            self.init(name, Array(content.utf8))
        }
    }

    /// An archive of `entries`; if wide, it ends with ZIP64 records.
    static func archive(_ entries: [Entry], isWide: Bool = false, comment: String = "") -> [UInt8] {
        var bytes: [UInt8] = []
        var directory: [UInt8] = []
        for entry in entries {
            let packed = entry.method == 8 ? deflated(entry.content) : entry.content
            let place = entry.headerPlace ?? bytes.count
            bytes += header(of: entry, packed, isLocal: true, place: place)
            bytes += packed
            if entry.hasDescriptor { bytes += [0x50, 0x4B, 7, 8] + sizes(of: entry, packed) }
            directory += header(of: entry, packed, isLocal: false, place: place)
        }
        let start = bytes.count
        bytes += directory
        if isWide {
            let place = bytes.count
            bytes += number(0x0606_4B50, 4) + number(44, 8) + number(45, 2) + number(45, 2)
            bytes += number(0, 4) + number(0, 4) + number(entries.count, 8)
            bytes += number(entries.count, 8) + number(directory.count, 8) + number(start, 8)
            bytes += number(0x0706_4B50, 4) + number(0, 4) + number(place, 8) + number(1, 4)
        }
        bytes += number(0x0605_4B50, 4) + number(0, 2) + number(0, 2)
        bytes += number(isWide ? 0xFFFF : entries.count, 2)
        bytes += number(isWide ? 0xFFFF : entries.count, 2)
        bytes += number(isWide ? 0xFFFF_FFFF : directory.count, 4)
        bytes += number(isWide ? 0xFFFF_FFFF : start, 4)
        return bytes + number(comment.utf8.count, 2) + Array(comment.utf8)
    }

    private static func header(
        of entry: Entry,
        _ packed: [UInt8],
        isLocal: Bool,
        place: Int
    ) -> [UInt8] {
        let name = isLocal ? entry.localName ?? entry.name : entry.name
        var bytes = number(isLocal ? 0x0403_4B50 : 0x0201_4B50, 4)
        if !isLocal { bytes += number(45, 2) }
        bytes += number(45, 2) + number(entry.flags | (entry.hasDescriptor ? 8 : 0), 2)
        bytes += number(entry.method, 2) + number(0, 4)
        let sizes = sizes(of: entry, packed)
        let areLater = isLocal && entry.hasDescriptor
        let wide = entry.isWide && !isLocal
        bytes += areLater ? number(0, 12) : wide ? sizes[..<4] + number(-1, 8) : sizes
        var extra: [UInt8] = []
        if wide {
            extra = number(0xCAFE, 2) + number(2, 2) + number(0, 2) + number(1, 2) + number(24, 2)
            extra += number(entry.byteCount ?? entry.content.count, 8)
            extra += number(entry.packedByteCount ?? packed.count, 8) + number(place, 8)
        }
        bytes += number(name.count, 2) + number(extra.count, 2)
        if !isLocal {
            bytes += number(0, 2) + number(0, 2) + number(0, 2) + number(0, 4)
            bytes += number(wide ? -1 : place, 4)
        }
        return bytes + name + extra
    }

    /// Checksum, packed size, size.
    private static func sizes(of entry: Entry, _ packed: [UInt8]) -> [UInt8] {
        let truth = entry.content.withUnsafeBufferPointer {
            UInt32(truncatingIfNeeded: crc32(0, $0.baseAddress, UInt32($0.count)))
        }
        return number(Int(entry.checksum ?? truth), 4)
            + number(entry.packedByteCount ?? packed.count, 4)
            + number(entry.byteCount ?? entry.content.count, 4)
    }

    static func number(_ value: Int, _ width: Int) -> [UInt8] {
        (0..<width).map { $0 < 8 ? UInt8(truncatingIfNeeded: value >> (8 * $0)) : 0 }
    }

    static func deflated(_ content: [UInt8]) -> [UInt8] {
        let state = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        state.initialize(to: z_stream())
        defer {
            deflateEnd(state)
            state.deallocate()
        }
        deflateInit2_(
            state,
            Z_BEST_COMPRESSION,
            Z_DEFLATED,
            -MAX_WBITS,
            8,
            Z_DEFAULT_STRATEGY,
            ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size)
        )
        var content = content
        let capacity = Int(deflateBound(state, UInt(content.count)))
        return content.withUnsafeMutableBufferPointer { input in
            [UInt8](unsafeUninitializedCapacity: capacity) { output, count in
                state.pointee.next_in = input.baseAddress
                state.pointee.avail_in = UInt32(input.count)
                state.pointee.next_out = output.baseAddress
                state.pointee.avail_out = UInt32(capacity)
                _ = deflate(state, Z_FINISH)
                count = capacity - Int(state.pointee.avail_out)
            }
        }
    }
}
