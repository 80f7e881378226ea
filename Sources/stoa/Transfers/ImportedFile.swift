// A file to import: Stoa's format as it is, another system's converted.

import ChatProtocol
import EventLoop
import Glibc
import TerminalText
import Transfers

/// An existing file.
struct ImportedFile: Sendable {
    private let path: String
    /// Whether it is in Stoa's format; another system's file belongs to one user.
    let isStoaFormat: Bool

    /// Detects the format from the first bytes.
    /// - Throws: `CommandFailure` if it can't be read.
    init(_ path: String) throws(CommandFailure) {
        self.path = path
        let start = try TransferFile.reading(path).read() ?? []
        isStoaFormat = start.starts(with: RecordReader.beginning)
    }

    /// Reads the file to its end.
    /// - Throws: `CommandFailure` if that fails; then nothing of it is imported.
    func check() throws {
        do {
            guard isStoaFormat else {
                _ = try ForeignRecords.check(FileBytes(path), name: name, importer: .forLoader())
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

    /// The file in Stoa's format, in chunks.
    func pieces() throws -> ImportedPieces {
        guard isStoaFormat else {
            let bytes = try FileBytes(path)
            let records = try ForeignRecords(bytes, name: name, importer: .forLoader())
            return ImportedPieces(records)
        }
        return ImportedPieces(try TransferFile.reading(path))
    }

    private var name: String { path.split(separator: "/").last.map(String.init) ?? path }
}

/// The upload of a file.
// Safety: used by one task at a time.
final class ImportedPieces: @unchecked Sendable {
    private var file: TransferFile?
    private var records: ForeignRecords?
    private var writer = RecordWriter()
    private var hasBegun = false

    init(_ file: TransferFile) { self.file = file }

    init(_ records: ForeignRecords) { self.records = records }

    /// What was left out or changed of another system's file.
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
            // The lines are written again, without the file's own header.
            switch record {
            case .header, .end: continue
            default: bytes += writer.line(record)
            }
        }
        return bytes.isEmpty ? nil : bytes
    }

    private var isDone = false
}

/// Random access to a file.
// Safety: pread(2) does not move the file offset, and the descriptor is closed with the last reference.
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
