// What a backup is of: the file `backup.json` in its folder.

public import ChatProtocol
import FoundationEssentials
import Glibc

/// A backup's own description.
public struct BackupRecord: Codable, Sendable, Hashable {
    /// The version of the form of backups.
    static let format = 1

    /// The version of the form that it has.
    let format: Int
    /// The version of Stoa that wrote it.
    public let stoa: String
    /// When it was begun.
    public let createdAt: Timestamp
    /// The number of migrations of its schema.
    public let schema: Int
    /// The major version of PostgreSQL, whose programs a restore needs.
    public let postgres: Int
    /// The epoch of its event numbers.
    public let epoch: String

    enum CodingKeys: String, CodingKey {
        case format, stoa, schema, postgres, epoch
        case createdAt = "created_at"
    }
}

/// The folder of a backup.
struct BackupFolder {
    let path: String

    private static let recordBytesMax = 1 << 16

    private var recordFile: String { "\(path)/backup.json" }

    /// The file of the self-signed certificate, if the server had one.
    var certificate: String { "\(path)/self-signed.pem" }

    /// The config file that the server had.
    var settings: String { "\(path)/stoa.json" }

    /// Writes the description; a folder without it is no complete backup.
    /// - Throws: `StartupError` if it cannot be written.
    func write(_ record: BackupRecord) throws(StartupError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        guard let text = try? encoder.encode(record) else {
            throw StartupError(.software, "the description of the backup cannot be encoded")
        }
        do {
            try FileSystem.write([UInt8](text), to: recordFile)
        } catch {
            throw StartupError(.cannotCreate, "the backup has no description: \(error)")
        }
    }

    /// Reads the description.
    /// - Throws: `StartupError` if this is no backup, or one of a newer Stoa.
    func read() throws(StartupError) -> BackupRecord {
        guard let text = try? FileSystem.read(recordFile, limit: Self.recordBytesMax) ?? nil,
            let record = try? JSONDecoder().decode(BackupRecord.self, from: Data(text))
        else {
            throw StartupError(
                .noInput,
                "\(path) is no complete backup: backup.json cannot be read"
            )
        }
        guard record.format <= BackupRecord.format, record.schema <= Database.migrations.count
        else {
            throw StartupError(
                .badData,
                "the backup is of Stoa \(record.stoa), newer than this one: restore it with that version"
            )
        }
        return record
    }

    /// Copies a file, if there is one, into a folder that is made if it is missing.
    /// - Throws: `StartupError` if it cannot be copied.
    static func copy(_ source: String, to target: String) throws(StartupError) {
        guard access(source, F_OK) == 0 else { return }
        do {
            guard let bytes = try FileSystem.read(source, limit: fileBytesMax) else {
                throw StartupError(.badData, "\(source) is too long for a backup")
            }
            let folder = URL(filePath: target).deletingLastPathComponent().path
            try FileSystem.makeFolder(folder, mode: 0o700)
            try FileSystem.write(bytes, to: target, mode: 0o600)
        } catch let error as StartupError {
            throw error
        } catch {
            throw StartupError(.cannotCreate, "it cannot be copied: \(error)")
        }
    }

    private static let fileBytesMax = 1 << 24
}
