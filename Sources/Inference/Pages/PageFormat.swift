// The file format of stored KV cache pages. This code does no I/O.
//
//     file    a block with the header, then slots
//     header  "stoa-kv1", fingerprint[32], bytes of a page u64, checksum u64
//     slot    a block with the record, then the page, filled up to whole blocks
//     record  slot of the page before i32 (-1: none), factor set u32, token count u32, tokens i32[32],
//             checksum of the page u64, checksum u64
//
// Numbers are little-endian; a checksum covers everything before it. A page's slot never moves. A
// full page never changes; a partial one is replaced by the page that extends it.

import Digests
package import PhiModel

/// The format of a model's files.
package struct PageFormat: Sendable, Hashable {
    /// The header, records and pages are aligned to this number of bytes.
    static let blockByteCount = 4096
    private static let magic = Array("stoa-kv1".utf8)
    private static let headerByteCount = magic.count + 32 + 8 + 8

    /// The layout of a page.
    let layout: PageLayout
    private let fingerprint: [UInt8]

    /// - Parameters:
    ///   - identity: everything that determines a page's bytes, except the tokens.
    ///   - layout: the layout of a page.
    package init(identity: String, layout: PageLayout) {
        self.layout = layout
        fingerprint = SHA256.digest(of: identity).bytes
    }

    private init(layout: PageLayout, fingerprint: [UInt8]) {
        self.layout = layout
        self.fingerprint = fingerprint
    }

    /// The format of the pages of the model with an adapter of this hash.
    package func adapted(by adapter: String?) -> PageFormat {
        guard let adapter else { return self }
        let digest = SHA256.digest(of: fingerprint + Array(adapter.utf8))
        return PageFormat(layout: layout, fingerprint: digest.bytes)
    }

    /// The format of a model's pages without an adapter; nil for a model without a hash.
    init?(_ model: LoadedModel) {
        guard let hash = model.identity.hash else { return nil }
        let parts = [
            EngineVersion.text, hash, model.identity.templateHash ?? "", model.model.kernelName,
        ]
        self.init(identity: parts.joined(separator: "\n"), layout: model.model.pageLayout)
    }

    // MARK: - Offsets

    /// The size of a slot in bytes.
    var slotByteCount: Int {
        let blocks = (layout.byteCount + Self.blockByteCount - 1) / Self.blockByteCount
        return (1 + blocks) * Self.blockByteCount
    }

    /// The offset of a slot's record.
    func recordOffset(_ slot: Int) -> Int { Self.blockByteCount + slot * slotByteCount }

    /// The offset of a slot's page.
    func pageOffset(_ slot: Int) -> Int { recordOffset(slot) + Self.blockByteCount }

    /// The size of a file with this number of slots.
    func fileByteCount(slots: Int) -> Int { recordOffset(slots) }

    // MARK: - The header

    /// The bytes of the header.
    var header: [UInt8] {
        var bytes = Self.magic + fingerprint
        bytes.append(littleEndian: UInt64(layout.byteCount))
        bytes.append(littleEndian: bytes.withUnsafeBytes { PageChecksum.of($0) })
        return bytes
    }

    /// Validates a file's header and length.
    /// - Returns: the number of slots.
    func slotCount(of file: UnsafeRawBufferPointer) throws(PageStoreError) -> Int {
        guard file.count >= Self.blockByteCount else { throw .truncated }
        let found = Array(file.prefix(Self.headerByteCount))
        guard found.starts(with: Self.magic) else { throw .unknown }
        guard found == header else {
            let isRight = found.withUnsafeBytes { PageChecksum.isRight($0) }
            throw isRight ? PageStoreError.otherModel : PageStoreError.damaged
        }
        let (count, rest) = (file.count - Self.blockByteCount)
            .quotientAndRemainder(dividingBy: slotByteCount)
        guard rest == 0 else { throw .truncated }
        return count
    }
}

/// A 64-bit hash that detects accidental changes, at memory speed. Each step is invertible, so a
/// change within eight bytes is always detected.
enum PageChecksum {
    private static let multiplier: UInt64 = 0x9E37_79B9_7F4A_7C15

    static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        // Four independent lanes, since a processor executes several multiplications in parallel.
        var (a, b, c, d) = (1, 2, 3, 4) as (UInt64, UInt64, UInt64, UInt64)
        let striped = bytes.count & ~31
        var offset = 0
        while offset < striped {
            a = mix(a, bytes.littleEndian(UInt64.self, at: offset))
            b = mix(b, bytes.littleEndian(UInt64.self, at: offset &+ 8))
            c = mix(c, bytes.littleEndian(UInt64.self, at: offset &+ 16))
            d = mix(d, bytes.littleEndian(UInt64.self, at: offset &+ 24))
            offset &+= 32
        }
        while offset < bytes.count {
            a = mix(a, UInt64(bytes[offset]))
            offset += 1
        }
        return mix(mix(mix(mix(UInt64(bytes.count), a), b), c), d)
    }

    /// Whether the last eight bytes are the checksum of those before.
    static func isRight(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count >= 8 else { return false }
        let body = UnsafeRawBufferPointer(rebasing: bytes.dropLast(8))
        return of(body) == bytes.littleEndian(UInt64.self, at: body.count)
    }

    @inline(__always)
    private static func mix(_ hash: UInt64, _ word: UInt64) -> UInt64 {
        let product = (hash ^ word) &* multiplier
        return product << 29 | product >> 35
    }
}

extension UnsafeRawBufferPointer {
    /// The number at `offset`, with any alignment.
    @inline(__always)
    func littleEndian<Number: FixedWidthInteger & BitwiseCopyable>(
        _ type: Number.Type,
        at offset: Int
    ) -> Number {
        Number(littleEndian: loadUnaligned(fromByteOffset: offset, as: type))
    }
}

extension [UInt8] {
    /// Appends a number in little-endian order.
    mutating func append(littleEndian number: some FixedWidthInteger) {
        var rest = number
        for _ in 0..<number.bitWidth / 8 {
            append(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
    }
}
