// PgBouncer in front of a server's private PostgreSQL, with transaction pooling at its strictest, or
// with session pooling.

import FoundationEssentials
import Glibc
import TestSupport

/// A running PgBouncer. It ends with this object.
final class PgBouncer {
    /// The program; nil if it is not installed.
    static let program: String? = {
        let folders = ["/usr/sbin", "/usr/bin", "/usr/local/bin"]
        return folders.map { "\($0)/pgbouncer" }.first { access($0, X_OK) == 0 }
    }()

    /// When a client gives its connection back.
    enum Pooling: String {
        /// After each transaction. Fewer connections than a server opens, so that transactions
        /// really change connections.
        case transaction
        /// When it disconnects.
        case session

        fileprivate var settings: String {
            switch self {
            case .transaction: "default_pool_size = 3"
            // PgBouncer before 1.20 refuses the timeouts that Stoa asks for at the start.
            case .session: "default_pool_size = 30\nignore_startup_parameters = options"
            }
        }
    }

    private let folder: TemporaryFolder
    private let running: Program
    /// The database URL through PgBouncer.
    let url: String
    /// The database URL past it.
    let directURL: String

    /// Starts PgBouncer in front of the PostgreSQL of `server`.
    init(before server: StoaServer, _ pooling: Pooling = .transaction) throws {
        guard let program = Self.program else { throw HarnessError("no pgbouncer") }
        folder = try TemporaryFolder()
        let socketFolder = try server.postgresSocketFolder()
        directURL = "postgresql:///stoa?host=\(socketFolder)&user=stoa"
        url = "postgresql:///stoa?host=\(folder.path)&port=6432&user=stoa"
        let settings = """
            [databases]
            stoa = host=\(socketFolder) port=5432 user=stoa
            [pgbouncer]
            listen_addr =
            listen_port = 6432
            unix_socket_dir = \(folder.path)
            auth_type = any
            pool_mode = \(pooling.rawValue)
            \(pooling.settings)
            max_client_conn = 200
            server_round_robin = 1
            """
        try folder.write("pgbouncer.ini", Array(settings.utf8))
        // As root it changes to another user, who must be able to create its socket.
        chmod(folder.path, 0o777)
        let user = geteuid() == 0 ? ["-u", "postgres"] : []
        running = try Program(
            program,
            user + ["\(folder.path)/pgbouncer.ini"],
            errorPath: "\(folder.path)/pgbouncer.log"
        )
        let socket = "\(folder.path)/.s.PGSQL.6432"
        try eventually("pgbouncer's socket") {
            FileManager.default.fileExists(atPath: socket)
        }
    }
}

extension StoaServer {
    /// The folder of its private PostgreSQL's socket.
    func postgresSocketFolder() throws -> String {
        let path = "\(dataDirectory)/postgres/data/postmaster.pid"
        let data = try Data(contentsOf: URL(filePath: path))
        // The fifth line, as in PostgreSQL's pidfile.h.
        let lines = String(decoding: data, as: UTF8.self).split(
            separator: "\n",
            omittingEmptySubsequences: false
        )
        guard lines.count > 4 else { throw HarnessError("PostgreSQL does not run") }
        return String(lines[4])
    }
}
