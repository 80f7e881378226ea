// Continuous archiving of a private cluster: PostgreSQL copies each finished file of its WAL into a
// folder, from which a restored backup recovers up to any later moment.
// https://www.postgresql.org/docs/current/continuous-archiving.html

/// A folder with archived WAL, compressed by gzip.
public struct WALArchive: Sendable, Equatable {
    /// What to recover from an archive.
    public struct Target: Sendable, Equatable {
        /// The archive.
        public let archive: WALArchive
        /// The last moment, in PostgreSQL's form of a timestamp; nil for the end of the archive.
        public let time: String?

        /// Creates a target.
        public init(_ archive: WALArchive, until time: String? = nil) {
            self.archive = archive
            self.time = time
        }

        /// The settings of the start that recovers.
        var recoverySettings: [String: String] {
            var settings = [
                "restore_command": "gzip -dc \(archive.quoted)/%f.gz > %p",
                "recovery_target_action": "promote",
            ]
            settings["recovery_target_time"] = time
            return settings
        }
    }

    /// The longest time in seconds for which a change is in no archive: a file that is not full is
    /// finished then.
    private static let secondsMax = 60

    /// The folder, which the cluster's user can write.
    public let folder: String

    /// The archive in `folder`.
    public init(folder: String) { self.folder = folder }

    /// The settings of a cluster that archives its WAL. A file has its name only when all of it is
    /// on the disk. PostgreSQL may archive a file again after a crash; another file of that name is
    /// never overwritten.
    var archivingSettings: [String: String] {
        let file = "\(quoted)/%f.gz"
        let copy = "gzip -1 -c %p > \(file).part && sync \(file).part && mv \(file).part \(file)"
        return [
            "archive_mode": "on",
            "archive_timeout": "\(Self.secondsMax)",
            "archive_command":
                "if test -e \(file); then gzip -dc \(file) | cmp -s - %p; else \(copy); fi",
        ]
    }

    /// Checks that the cluster's user can write the folder.
    /// - Throws: `ClusterError.archiveUnusable` if not.
    func check(for account: ClusterAccount) throws(ClusterError) {
        do {
            let test = ["-c", "test -d \"$1\" && test -w \"$1\"", "sh", folder]
            try ChildProcess(account: account, folder: "/").run("/bin/sh", test)
        } catch {
            throw .archiveUnusable(folder: folder, user: account.name)
        }
    }

    /// The folder as one word of `sh`, in which PostgreSQL replaces nothing.
    private var quoted: String {
        let escaped = folder.replacing("'", with: "'\\''").replacing("%", with: "%%")
        return "'\(escaped)'"
    }
}
