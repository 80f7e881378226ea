// What a backup is of: the file `backup.json` in its folder.

public import ChatProtocol
import FoundationEssentials

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
        do {
            try encoder.encode(record).write(to: URL(filePath: recordFile), options: .atomic)
        } catch {
            throw StartupError(.cannotCreate, "\(recordFile) cannot be written: \(error)")
        }
    }

    /// Reads the description.
    /// - Throws: `StartupError` if this is no backup, or one of a newer Stoa.
    func read() throws(StartupError) -> BackupRecord {
        let record: BackupRecord
        do {
            let data = try Data(contentsOf: URL(filePath: recordFile))
            record = try JSONDecoder().decode(BackupRecord.self, from: data)
        } catch {
            throw StartupError(.noInput, "\(path) is no complete backup: \(error)")
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

    /// Copies a file, if there is one.
    /// - Throws: `StartupError` if it cannot be copied.
    static func copy(_ source: String, to target: String) throws(StartupError) {
        let files = FileManager.default
        guard files.fileExists(atPath: source) else { return }
        do {
            let folder = URL(filePath: target).deletingLastPathComponent().path
            try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try files.copyItem(atPath: source, toPath: target)
            try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: target)
        } catch {
            throw StartupError(.cannotCreate, "\(source) cannot be copied: \(error)")
        }
    }
}
