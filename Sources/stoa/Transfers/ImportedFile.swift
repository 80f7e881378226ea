// A file to import, whatever wrote it: ours as it is, another system's as records of ours.

import ChatProtocol
import EventLoop
import Glibc
import Transfers

/// A file that is there.
struct ImportedFile: Sendable {
    private let path: String
    /// Whether it is in our own format; another system's is one person's.
    let isOurs: Bool

    /// Looks at what the file begins with.
    /// - Throws: `CommandFailure` where it can't be read.
    init(_ path: String) throws(CommandFailure) {
        self.path = path
        let start = try TransferFile.reading(path).read() ?? []
        isOurs = start.starts(with: RecordReader.beginning)
    }

    /// Reads the file to its end.
    /// - Throws: `CommandFailure` where that can't be done: then nothing of it is imported.
    func check() throws {
        do {
            guard isOurs else {
                _ = try ForeignRecords.check(FileBytes(path), name: name, importer: .whoeverLoads())
                return
            }
            let file = try TransferFile.reading(path)
            var reader = RecordReader()
            while let bytes = try file.read() {
                reader.append(bytes)
                while try reader.next() != nil {}
            }
            reader.finish()
            while try reader.next() != nil {}
        } catch let error as TransferError {
            throw CommandFailure(.dataError, TerminalSanitizer.clean("\(path): \(error)"))
        }
    }

    /// The file in our format, piece by piece.
    func pieces() throws -> ImportedPieces {
        guard isOurs else {
            let bytes = try FileBytes(path)
            let records = try ForeignRecords(bytes, name: name, importer: .whoeverLoads())
            return ImportedPieces(records)
        }
        return ImportedPieces(try TransferFile.reading(path))
    }

    private var name: String { path.split(separator: "/").last.map(String.init) ?? path }
}

/// What is sent of a file.
// Safety: one task at a time uses it.
final class ImportedPieces: @unchecked Sendable {
    private var file: TransferFile?
    private var records: ForeignRecords?
    private var writer = RecordWriter()
    private var hasBegun = false

    init(_ file: TransferFile) { self.file = file }

    init(_ records: ForeignRecords) { self.records = records }

    /// What of another system's file was left out or changed.
    var report: TransferReport { records?.report ?? TransferReport() }

    /// The next bytes; nil at the end.
    func next() throws -> [UInt8]? {
        if let file { return try file.read() }
        guard records != nil else { return nil }
        var bytes: [UInt8] = []
        if !hasBegun {
            hasBegun = true
            let header = TransferHeader(exportedAt: .now, server: "import", scope: .everything)
            bytes = writer.line(.header(header))
        }
        while bytes.count < 128 << 10 {
            guard let record = try records?.next() else {
                guard !isDone else { break }
                isDone = true
                return bytes + writer.end()
            }
            // Its lines are ours; what it says of itself is not needed.
            switch record {
            case .header, .end: continue
            default: bytes += writer.line(record)
            }
        }
        return bytes.isEmpty ? nil : bytes
    }

    private var isDone = false
}

/// A file as bytes that can be read anywhere.
// Safety: pread(2) moves nothing, and the descriptor is closed with the last reference.
private final class FileBytes: RandomAccessBytes, @unchecked Sendable {
    private let path: String
    private let descriptor: Int32
    let byteCount: Int64

    init(_ path: String) throws(CommandFailure) {
        self.path = path
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0 else {
            byteCount = 0
            throw CommandFailure(.latest(.read, path))
        }
        byteCount = Int64(status.st_size)
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    func bytes(at offset: Int64, count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = pread(descriptor, &bytes, count, Int(offset))
        guard read >= 0 else { throw CommandFailure(.latest(.read, path)) }
        return Array(bytes[..<read])
    }
}
