// The central directory of a ZIP archive (PKWARE's APPNOTE 6.3.10, sections 4.3 and 4.5), read from its
// end. Nothing in it is trusted: counts, sizes and offsets are checked against the archive's length.

/// The location of the central directory, from the records at the archive's end.
struct ZIPDirectoryPlace {
    let entryCount: Int64
    let start: Int64
    let end: Int64

    private static let endByteCount = 22
    private static let end64ByteCount = 56
    private static let locatorByteCount = 20
    /// An archive's comment has a 16-bit length.
    private static let commentByteCountMax = 0xFFFF

    init(in source: any RandomAccessBytes) throws {
        let (record, place) = try Self.endRecord(of: source)
        if let (record64, place64) = try Self.end64Record(of: source, before: place) {
            guard record64.littleEndian32(at: 16) == 0, record64.littleEndian32(at: 20) == 0 else {
                throw ArchiveError.severalParts
            }
            guard let count = record64.littleEndian64(at: 32),
                let size = record64.littleEndian64(at: 40),
                let start = record64.littleEndian64(at: 48)
            else { throw ArchiveError.damaged(what: "its ZIP64 record names no possible place") }
            try self.init(entryCount: count, start: start, size: size, recordPlace: place64)
        } else {
            guard record.littleEndian16(at: 4) == 0, record.littleEndian16(at: 6) == 0 else {
                throw ArchiveError.severalParts
            }
            try self.init(
                entryCount: Int64(record.littleEndian16(at: 10)),
                start: record.littleEndian32(at: 16),
                size: record.littleEndian32(at: 12),
                recordPlace: place
            )
        }
    }

    private init(entryCount: Int64, start: Int64, size: Int64, recordPlace: Int64) throws {
        let (end, overflow) = start.addingReportingOverflow(size)
        guard !overflow, end == recordPlace else {
            throw ArchiveError.damaged(what: "its directory is not where it should be")
        }
        self.entryCount = entryCount
        self.start = start
        self.end = end
    }

    /// The end record, whose comment extends to the end of the archive.
    private static func endRecord(
        of source: any RandomAccessBytes
    ) throws -> ([UInt8], place: Int64) {
        let count = Int(min(source.byteCount, Int64(endByteCount + commentByteCountMax)))
        guard count >= endByteCount,
            let tail = try source.allBytes(at: source.byteCount - Int64(count), count: count)
        else { throw ArchiveError.notAnArchive }
        var offset = count - endByteCount
        while offset >= 0 {
            if tail[offset] == 0x50, tail.littleEndian32(at: offset) == 0x0605_4B50,
                tail.littleEndian16(at: offset + 20) == count - offset - endByteCount
            {
                let record = Array(tail[offset..<offset + endByteCount])
                return (record, source.byteCount - Int64(count - offset))
            }
            offset -= 1
        }
        let head = try source.allBytes(at: 0, count: 4)
        guard head?.littleEndian32(at: 0) == 0x0403_4B50 else { throw ArchiveError.notAnArchive }
        throw ArchiveError.damaged(what: "its end is missing")
    }

    /// The ZIP64 record, if a locator precedes the end record.
    private static func end64Record(
        of source: any RandomAccessBytes,
        before place: Int64
    ) throws -> ([UInt8], place: Int64)? {
        guard
            let locator = try source.allBytes(
                at: place - Int64(locatorByteCount),
                count: locatorByteCount
            ), locator.littleEndian32(at: 0) == 0x0706_4B50
        else { return nil }
        guard let place64 = locator.littleEndian64(at: 8),
            let record = try source.allBytes(at: place64, count: end64ByteCount),
            record.littleEndian32(at: 0) == 0x0606_4B50
        else { throw ArchiveError.damaged(what: "its ZIP64 record is missing") }
        return (record, place64)
    }
}

/// Reads the central directory sequentially.
struct ZIPDirectoryReader {
    private let limits: ArchiveLimits
    private let place: ZIPDirectoryPlace
    private var stream: PlainByteSource
    private var pending: [UInt8] = []
    private var position = 0

    private static let headerByteCount = 46

    init(_ source: any RandomAccessBytes, limits: ArchiveLimits) throws {
        self.limits = limits
        place = try ZIPDirectoryPlace(in: source)
        guard place.entryCount <= Int64(limits.entryCountMax) else {
            throw ArchiveError.tooManyEntries(limit: limits.entryCountMax)
        }
        guard place.end - place.start <= limits.directoryByteCountMax else {
            throw ArchiveError.directoryTooLarge(limit: limits.directoryByteCountMax)
        }
        stream = PlainByteSource(source, place.start..<place.end)
    }

    /// The files of the archive in directory order.
    mutating func entries() throws -> [ZIPEntry] {
        var entries: [ZIPEntry] = []
        var names = Set<[UInt8]>()
        for _ in 0..<place.entryCount {
            let (entry, name) = try nextEntry()
            guard names.insert(name).inserted else {
                throw ArchiveError.duplicateName(entry.name)
            }
            entries.append(entry)
        }
        guard try take(1) == nil else {
            throw ArchiveError.damaged(what: "its directory has more files than it names")
        }
        return try Self.spread(entries, before: place.start)
    }

    /// Assigns each file the bytes up to the next one, and refuses files that overlap.
    private static func spread(_ entries: [ZIPEntry], before end: Int64) throws -> [ZIPEntry] {
        var entries = entries
        let order = entries.indices.sorted { entries[$0].headerPlace < entries[$1].headerPlace }
        for (rank, index) in order.enumerated() {
            let isLast = rank + 1 == order.count
            let next = isLast ? end : entries[order[rank + 1]].headerPlace
            let entry = entries[index]
            let (dataEnd, overflow) = (entry.headerPlace + Int64(30 + entry.nameByteCount))
                .addingReportingOverflow(entry.packedByteCount)
            guard !overflow, dataEnd <= next else {
                throw isLast
                    ? ArchiveError.damaged(what: "a file reaches into its directory")
                    : ArchiveError.overlappingEntries(entry.name)
            }
            entries[index].endPlace = next
        }
        return entries
    }

    private mutating func nextEntry() throws -> (ZIPEntry, name: [UInt8]) {
        guard let header = try take(Self.headerByteCount),
            header.littleEndian32(at: 0) == 0x0201_4B50
        else { throw ArchiveError.damaged(what: "its directory has fewer files than it names") }
        let nameCount = header.littleEndian16(at: 28)
        guard nameCount <= limits.nameByteCountMax else {
            throw ArchiveError.nameTooLong(limit: limits.nameByteCountMax)
        }
        guard let name = try take(nameCount),
            let extra = try take(header.littleEndian16(at: 30)),
            try take(header.littleEndian16(at: 32)) != nil
        else { throw ArchiveError.damaged(what: "its directory ends inside a file's record") }
        let text = String(decoding: name, as: UTF8.self)
        guard Self.isSafe(name) else { throw ArchiveError.unsafeName(text) }
        return (try Self.entry(text, header, extra), name)
    }

    private static func entry(
        _ name: String,
        _ header: [UInt8],
        _ extra: [UInt8]
    ) throws -> ZIPEntry {
        let wide = try ZIP64Field(header, extra)
        guard wide.part == 0 else { throw ArchiveError.severalParts }
        return ZIPEntry(
            name: name,
            byteCount: wide.byteCount,
            method: header.littleEndian16(at: 10),
            isEncrypted: header.littleEndian16(at: 8) & 0x2041 != 0,
            checksum: UInt32(truncatingIfNeeded: header.littleEndian32(at: 16)),
            packedByteCount: wide.packedByteCount,
            headerPlace: wide.headerPlace,
            nameByteCount: header.littleEndian16(at: 28)
        )
    }

    /// Whether a name stays inside a folder on any system. Nothing is written under it, but such a
    /// name shows that the archive is malicious.
    private static func isSafe(_ name: [UInt8]) -> Bool {
        guard let first = name.first, first != UInt8(ascii: "/") else { return false }
        if name.count >= 2, name[1] == UInt8(ascii: ":") { return false }
        guard !name.contains(where: { $0 < 0x20 || $0 == UInt8(ascii: "\\") }) else { return false }
        return name.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .dropLast(name.last == UInt8(ascii: "/") ? 1 : 0)
            .allSatisfy {
                !$0.isEmpty && !$0.elementsEqual("..".utf8) && !$0.elementsEqual(".".utf8)
            }
    }

    /// The next `count` bytes of the directory; nil if there are fewer.
    private mutating func take(_ count: Int) throws -> [UInt8]? {
        while pending.count - position < count {
            guard let piece = try stream.next() else { return nil }
            pending.removeFirst(position)
            position = 0
            pending += piece
        }
        position += count
        return Array(pending[position - count..<position])
    }
}

/// Sizes and offsets, from the ZIP64 field if the header says so (section 4.5.3).
private struct ZIP64Field {
    let byteCount: Int64
    let packedByteCount: Int64
    let headerPlace: Int64
    let part: Int64

    init(_ header: [UInt8], _ extra: [UInt8]) throws {
        var field = try Self.find(in: extra)
        func wide(_ value: Int64, _ mark: Int64, _ width: Int) throws -> Int64 {
            guard value == mark else { return value }
            let bytes = Array(field.prefix(width))
            // Old programs write the marker value as a real size if the file has that size.
            guard bytes.count == width else {
                throw ArchiveError.damaged(what: "a file's ZIP64 field is too short")
            }
            field = field.dropFirst(width)
            guard let found = width == 8 ? bytes.littleEndian64(at: 0) : bytes.littleEndian32(at: 0)
            else { throw ArchiveError.damaged(what: "a file names no possible size") }
            return found
        }
        byteCount = try wide(header.littleEndian32(at: 24), 0xFFFF_FFFF, 8)
        packedByteCount = try wide(header.littleEndian32(at: 20), 0xFFFF_FFFF, 8)
        headerPlace = try wide(header.littleEndian32(at: 42), 0xFFFF_FFFF, 8)
        part = try wide(Int64(header.littleEndian16(at: 34)), 0xFFFF, 4)
        guard headerPlace < Int64.max / 2 else {
            throw ArchiveError.damaged(what: "a file names no possible place")
        }
    }

    private static func find(in extra: [UInt8]) throws -> ArraySlice<UInt8> {
        var offset = 0
        while offset + 4 <= extra.count {
            let start = offset + 4
            let end = start + extra.littleEndian16(at: offset + 2)
            guard end <= extra.count else { break }
            if extra.littleEndian16(at: offset) == 1 { return extra[start..<end] }
            offset = end
        }
        return []
    }
}
