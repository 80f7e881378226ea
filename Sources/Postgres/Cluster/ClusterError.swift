// Errors of the private cluster. Each description says what to do next.

import EventLoop
import Glibc

/// Why the private PostgreSQL could not be set up, started or stopped.
public enum ClusterError: Error, Sendable, Equatable {
    /// PostgreSQL's server programs were not found in these folders. With `version`, the data was
    /// written by that major version and needs its programs.
    case programsMissing(searched: [String], version: Int?)
    /// The system user that PostgreSQL must run as cannot enter the folder.
    case folderUnreachable(folder: String, user: String)
    /// The cluster's files belong to another user, and we are not root.
    case folderOwnedByOther(folder: String, owner: String)
    /// A backup cannot be restored over existing data.
    case folderHasData(folder: String)
    /// The folder for archived WAL does not exist, or the cluster's user cannot write it.
    case archiveUnusable(folder: String, user: String)
    /// We are root, and there is no unprivileged user to run PostgreSQL as.
    case noUnprivilegedUser
    /// A file or folder operation failed.
    case system(operation: String, path: String, errno: Int32)
    /// A program failed; `output` is the end of its output.
    case programFailed(program: String, status: Int32, output: String)
    /// The server ended during its start; `output` is the end of its output.
    case serverEnded(output: String, logFolder: String)
    /// The server did not accept connections, or did not stop, in time.
    case deadlineExceeded(waitingFor: String, logFolder: String)
    /// The server runs, but its database could not be created.
    case databaseFailed(PostgresError)
}

extension ClusterError {
    /// Whether the reason is a full disk.
    public var isDiskFull: Bool {
        switch self {
        case .system(_, _, let number): number == ENOSPC || number == EDQUOT
        case .programFailed(_, _, let output), .serverEnded(let output, _):
            output.contains(systemMessage(ENOSPC)) || output.contains(systemMessage(EDQUOT))
        case .databaseFailed(let error): error.sqlState == .diskFull
        default: false
        }
    }
}

extension ClusterError: CustomStringConvertible {
    /// One or two sentences for the operator.
    public var description: String {
        switch self {
        case .programsMissing(let searched, let version):
            let package = version.map { "postgresql-\($0)" } ?? "postgresql"
            let reason =
                version.map { " (version \($0), which wrote this data)" } ?? ""
            return """
                PostgreSQL's server programs (initdb, postgres) were not found\(reason). \
                Install them with: apt-get install \(package) \
                (other systems: the package postgresql-server), or use a database elsewhere with \
                --database-url. Searched: \(searched.joined(separator: ", "))
                """
        case .folderUnreachable(let folder, let user):
            return """
                the system user \(user) cannot enter \(folder). PostgreSQL refuses to run as root, \
                so choose a data directory outside of private folders (for example /var/lib/stoa), \
                or run stoa as an ordinary user
                """
        case .folderOwnedByOther(let folder, let owner):
            return "\(folder) belongs to \(owner): run stoa as \(owner) or as root"
        case .folderHasData(let folder):
            return "\(folder) has data already: restore into another folder, or move it away first"
        case .archiveUnusable(let folder, let user):
            return
                "the system user \(user) cannot write WAL into \(folder): create the folder for \(user)"
        case .noUnprivilegedUser:
            return """
                PostgreSQL refuses to run as root, and there is neither a user `postgres` nor \
                `nobody`: run stoa as an ordinary user
                """
        case .system(let operation, let path, let number):
            let line = "\(operation) \(path): \(systemMessage(number)) (\(number))"
            return FileError.remedy(for: number).map { "\(line): \($0)" } ?? line
        case .programFailed(let program, let status, let output):
            return "\(program) failed with status \(status): \(output)"
        case .serverEnded(let output, let logFolder):
            return "PostgreSQL ended while it was starting: \(output) (more in \(logFolder))"
        case .deadlineExceeded(let wait, let logFolder):
            return "PostgreSQL did not \(wait) in time; see \(logFolder)"
        case .databaseFailed(let error):
            return "the private PostgreSQL's database could not be prepared: \(error)"
        }
    }
}
