// A server whose disk is full answers, reads, and even writes where pages have room; it refuses what makes
// tables grow. Nobody who asks only whether it answers would find out, nor when it is over.

import EventLoop
import Logging

extension PostgresPool {
    /// How often a full disk is looked at again.
    private static let diskCheckPeriod: Duration = .seconds(1)

    /// Asks the server to write a temporary file of some 300 KB where the database's tables lie. That needs no
    /// right, changes nothing and leaves nothing.
    /// - Returns: false where its disk is full.
    /// - Throws: `PostgresError` where that cannot be told.
    public func hasDiskSpace() async throws -> Bool {
        do {
            try await transaction { transaction in
                try transaction.send("SET LOCAL work_mem = '64kB'")
                try transaction.send("SET LOCAL temp_tablespaces = ''")
                // A function's rows are kept in a file once they outgrow the memory for them.
                _ = try await transaction.query("SELECT count(*) FROM generate_series(1, 20000)")
            }
            return true
        } catch let error as PostgresError where error.sqlState == .diskFull {
            return false
        }
    }

    /// Notes that a statement failed for want of space, and looks until there is some again.
    func noteFailure(_ error: PostgresError) {
        guard error.sqlState == .diskFull, diskWatch == nil else { return }
        isDiskFull = true
        logger.error("database disk full", metadata: ["error": "\(error)"])
        diskWatch = loop.spawn { [weak self, loop] in
            while true {
                do { try await loop.sleep(for: Self.diskCheckPeriod) } catch { return }
                guard let self else { return }
                // Where it cannot be told, it is as it was.
                guard (try? await hasDiskSpace()) == true else { continue }
                isDiskFull = false
                diskWatch = nil
                return logger.notice("database disk has space again")
            }
        }
    }
}
