// A ZIP archive: its entries, and each file's bytes as a stream.

public import JSONText

/// Limits on an archive; one that exceeds them is refused.
public struct ArchiveLimits: Sendable {
    /// Maximum number of files. An export with ten years of pictures has about ten thousand.
    public var entryCountMax: Int
    /// Maximum file name length in bytes.
    public var nameByteCountMax: Int
    /// Maximum directory size in bytes: it stays in memory while files are read.
    public var directoryByteCountMax: Int64
    /// Maximum unpacked file size in bytes.
    public var entryByteCountMax: Int64
    /// Maximum unpacked bytes of all files that are read.
    public var totalByteCountMax: Int64
    /// Maximum compression ratio of a file beyond its first MiB. Deflate reaches 1,032; chat texts
    /// 20.
    public var ratioMax: Int64

    /// Defaults that exports of other systems stay within.
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

/// A file of an archive, as listed in the directory.
public struct ZIPEntry: Sendable, Hashable {
    /// Its path in the archive, with `/` between folders; invalid UTF-8 replaced by U+FFFD.
    public let name: String
    /// Its unpacked size in bytes, according to the directory.
    public let byteCount: Int64

    let method: Int
    let isEncrypted: Bool
    let checksum: UInt32
    let packedByteCount: Int64
    let headerPlace: Int64
    let nameByteCount: Int
    /// The offset of the next file.
    var endPlace: Int64 = 0

    /// Whether it is a folder.
    public var isFolder: Bool { name.hasSuffix("/") }
    /// The name without its folders.
    public var lastName: Substring { name.split(separator: "/").last ?? "" }
}

/// A ZIP archive. Files are unpacked in memory only.
public struct ZIPArchive {
    /// The files in directory order.
    public let entries: [ZIPEntry]

    private let source: any RandomAccessBytes
    private let limits: ArchiveLimits
    private let budget: ArchiveBudget

    /// Whether bytes begin like a ZIP archive, also an empty one.
    public static func begins(_ head: some Collection<UInt8>) -> Bool {
        head.starts(with: [0x50, 0x4B, 3, 4]) || head.starts(with: [0x50, 0x4B, 5, 6])
    }

    /// Reads the directory of an archive.
    /// - Parameters:
    ///   - source: its bytes.
    ///   - limits: limits on the archive.
    /// - Throws: `ArchiveError` if it is damaged, malicious or too large.
    public init(_ source: any RandomAccessBytes, limits: ArchiveLimits = ArchiveLimits()) throws {
        var reader = try ZIPDirectoryReader(source, limits: limits)
        entries = try reader.entries()
        self.source = source
        self.limits = limits
        budget = ArchiveBudget(limits.totalByteCountMax)
    }

    /// A file's bytes, unpacked as they are read.
    ///
    /// The stream throws `ArchiveError` if the bytes turn out to differ from the directory's size
    /// or checksum.
    /// - Parameter entry: a file of this archive.
    /// - Returns: its bytes.
    /// - Throws: `ArchiveError` if it cannot be unpacked.
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

    /// The range of a file's bytes according to its local header, which must agree with the
    /// directory.
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

/// The unpacked bytes that the archive's files may still produce, all together.
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
