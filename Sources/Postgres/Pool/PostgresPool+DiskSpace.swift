// Detects a full disk. A server with a full disk responds, reads, and even writes into pages with
// free space; it refuses what makes tables grow. A simple query does not detect that, nor when it
// is over. One without space for its WAL ends, and cannot start before there is some.

import EventLoop
import Logging

extension PostgresPool {
    /// Interval of checks while the disk is full.
    private static let diskCheckPeriod: Duration = .seconds(1)

    /// Makes the server write a temporary file of some 300 KB in the tablespace of the database.
    /// That needs no privilege and leaves nothing behind.
    /// - Returns: false if its disk is full.
    /// - Throws: `PostgresError` if the check fails.
    public func hasDiskSpace() async throws -> Bool {
        do {
            try await transaction { transaction in
                try transaction.send("SET LOCAL work_mem = '64kB'")
                try transaction.send("SET LOCAL temp_tablespaces = ''")
                // A function's rows are written to a file when they exceed work_mem.
                _ = try await transaction.query("SELECT count(*) FROM generate_series(1, 20000)")
            }
            return true
        } catch let error as PostgresError where error.sqlState == .diskFull {
            return false
        }
    }

    /// Records that a statement failed because the disk is full, and checks until there is space
    /// again.
    func recordFailure(_ error: PostgresError) {
        if error.sqlState == .diskFull { recordFullDisk("\(error)") }
    }

    /// Records that the server's disk is full, which also its process may say when it cannot start,
    /// and checks until there is space again.
    /// - Parameter reason: how that was noticed, for the log.
    public func recordFullDisk(_ reason: String) {
        guard diskWatch == nil else { return }
        isDiskFull = true
        logger.error("database disk full", metadata: ["error": "\(reason)"])
        diskWatch = loop.spawn { [weak self, loop] in
            while true {
                do { try await loop.sleep(for: Self.diskCheckPeriod) } catch { return }
                guard let self else { return }
                // If the check fails, the state does not change.
                guard (try? await hasDiskSpace()) == true else { continue }
                isDiskFull = false
                diskWatch = nil
                return logger.notice("database disk has space again")
            }
        }
    }
}
