// A ZIP archive: what is in it, and each file's bytes as a stream.

public import JSONText

/// How much of an archive is taken; going beyond refuses it.
public struct ArchiveLimits: Sendable {
    /// The most files. An export with ten years of pictures has some ten thousand.
    public var entryCountMax: Int
    /// The longest file name, in bytes.
    public var nameByteCountMax: Int
    /// The largest directory, in bytes: it is held while files are read.
    public var directoryByteCountMax: Int64
    /// The largest file unpacked, in bytes.
    public var entryByteCountMax: Int64
    /// The most bytes of all files that are read, unpacked.
    public var totalByteCountMax: Int64
    /// How many times a file may grow beyond its first MiB. Deflate reaches 1,032; chat texts 20.
    public var ratioMax: Int64

    /// Limits that the exports of other systems keep.
    public init(
        entryCountMax: Int = 200_000,
        nameByteCountMax: Int = 1024,
        directoryByteCountMax: Int64 = 32 << 20,
        entryByteCountMax: Int64 = 16 << 30,
        totalByteCountMax: Int64 = 32 << 30,
        ratioMax: Int64 = 200
    ) {
        self.entryCountMax = entryCountMax
        self.nameByteCountMax = nameByteCountMax
        self.directoryByteCountMax = directoryByteCountMax
        self.entryByteCountMax = entryByteCountMax
        self.totalByteCountMax = totalByteCountMax
        self.ratioMax = ratioMax
    }
}

/// A file of an archive, as the directory tells of it.
public struct ZIPEntry: Sendable, Hashable {
    /// Its path in the archive, with `/` between folders; ill-formed UTF-8 replaced by U+FFFD.
    public let name: String
    /// Its size unpacked, in bytes, as the directory says.
    public let byteCount: Int64

    let method: Int
    let isEncrypted: Bool
    let checksum: UInt32
    let packedByteCount: Int64
    let headerPlace: Int64
    let nameByteCount: Int
    /// Where the next file begins.
    var endPlace: Int64 = 0

    /// Whether it is a folder.
    public var isFolder: Bool { name.hasSuffix("/") }
    /// The name without its folders.
    public var lastName: Substring { name.split(separator: "/").last ?? "" }
}

/// A ZIP archive. Its files are unpacked to nowhere but their reader.
public struct ZIPArchive {
    /// The files in the directory's order.
    public let entries: [ZIPEntry]

    private let source: any RandomAccessBytes
    private let limits: ArchiveLimits
    private let budget: ArchiveBudget

    /// Whether bytes begin as a ZIP archive does, be it an empty one.
    public static func begins(_ head: some Collection<UInt8>) -> Bool {
        head.starts(with: [0x50, 0x4B, 3, 4]) || head.starts(with: [0x50, 0x4B, 5, 6])
    }

    /// Reads the directory of an archive.
    /// - Parameters:
    ///   - source: its bytes.
    ///   - limits: how much of it is taken.
    /// - Throws: `ArchiveError` where it is damaged, plays tricks or is too large.
    public init(_ source: any RandomAccessBytes, limits: ArchiveLimits = ArchiveLimits()) throws {
        var reader = try ZIPDirectoryReader(source, limits: limits)
        entries = try reader.entries()
        self.source = source
        self.limits = limits
        budget = ArchiveBudget(limits.totalByteCountMax)
    }

    /// A file's bytes, unpacked as they are read.
    ///
    /// The stream throws `ArchiveError` where the bytes turn out to be more, or others, than the
    /// directory says.
    /// - Parameter entry: a file of this archive.
    /// - Returns: its bytes.
    /// - Throws: `ArchiveError` where it cannot be unpacked.
    public func stream(of entry: ZIPEntry) throws -> any ByteSource {
        guard !entry.isEncrypted else { throw ArchiveError.encrypted(entry.name) }
        guard entry.method == 0 || entry.method == 8 else {
            throw ArchiveError.unknownMethod(entry.name, method: entry.method)
        }
        guard entry.byteCount <= limits.entryByteCountMax else {
            throw ArchiveError.entryTooLarge(entry.name, limit: limits.entryByteCountMax)
        }
        let (grown, overflow) = entry.packedByteCount.multipliedReportingOverflow(
            by: limits.ratioMax
        )
        guard overflow || entry.byteCount <= grown || entry.byteCount <= 1 << 20 else {
            throw ArchiveError.ratioTooHigh(entry.name, limit: limits.ratioMax)
        }
        let packed = PlainByteSource(source, try dataRange(of: entry))
        let content: any ByteSource =
            entry.method == 0 ? packed : InflatingStream(packed, name: entry.name)
        return CheckedEntryStream(content, entry, budget)
    }

    /// Where a file's bytes lie, by its own header, which has to agree with the directory.
    private func dataRange(of entry: ZIPEntry) throws -> Range<Int64> {
        let damaged = ArchiveError.damaged(what: "the header of \(quoted(entry.name)) is another's")
        guard
            let header = try source.allBytes(at: entry.headerPlace, count: 30),
            header.littleEndian32(at: 0) == 0x0403_4B50,
            header.littleEndian16(at: 8) == entry.method,
            header.littleEndian16(at: 26) == entry.nameByteCount,
            let name = try source.allBytes(
                at: entry.headerPlace + 30,
                count: entry.nameByteCount
            ), entry.name.utf8.elementsEqual(String(decoding: name, as: UTF8.self).utf8)
        else { throw damaged }
        let start =
            entry.headerPlace + Int64(30 + entry.nameByteCount + header.littleEndian16(at: 28))
        guard entry.packedByteCount <= entry.endPlace - start else {
            throw ArchiveError.overlappingEntries(entry.name)
        }
        guard entry.method != 0 || entry.packedByteCount == entry.byteCount else {
            throw ArchiveError.damaged(what: "\(quoted(entry.name)) has two sizes")
        }
        return start..<start + entry.packedByteCount
    }
}

/// What an archive's files may still have in bytes, all together.
final class ArchiveBudget {
    private let limit: Int64
    private var left: Int64

    init(_ limit: Int64) {
        self.limit = limit
        left = limit
    }

    func spend(_ count: Int) throws {
        left -= Int64(count)
        guard left >= 0 else { throw ArchiveError.archiveTooLarge(limit: limit) }
    }
}
