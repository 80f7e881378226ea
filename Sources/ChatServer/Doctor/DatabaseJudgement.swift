// Checks a database server's figures.

package import ChatStore
import Postgres

/// Checks a database server.
package enum DatabaseJudgement {
    /// Advice for a refused connection. libpq gives no codes for these errors, only texts.
    /// - Parameter reason: the message of libpq or PostgreSQL.
    /// - Returns: the check.
    package static func unreachable(_ reason: String) -> DoctorCheck {
        let lowered = reason.lowercased()
        let known = refusals.first { refusal in
            refusal.words.allSatisfy { lowered.contains($0) }
        }
        let advice = known?.advice ?? .seeDatabaseLog
        let found = reason.split { $0 == "\t" || $0 == "\n" }.joined(separator: " ")
        return .failure(.database, "reachable", found, do: advice)
    }

    private static let refusals: [(words: [String], advice: DoctorAdvice)] = [
        (
            ["password authentication failed"],
            .databasePassword
        ),
        (["no password supplied"], .givePassword),
        (["role", "does not exist"], .makeRole),
        (["database", "does not exist"], .makeDatabase),
        (
            ["pg_hba.conf"],
            .letMachineIn
        ),
        (
            ["unsupported startup parameter"],
            .poolerSetting
        ),
        (
            ["too many clients"],
            .moreConnections
        ),
        (
            ["connection slots"],
            .moreConnections
        ),
        (["starting up"], .waitForReplay),
        (["shutting down"], .waitForDatabase),
        (
            ["connection refused"],
            .startOnPort
        ),
        (
            ["no such file or directory"],
            .startOnSocket
        ),
        (
            ["could not translate host name"],
            .databaseHost
        ),
        (["timeout"], .firewall),
        (["timed out"], .firewall),
        (["ssl"], .databaseTLS),
        (["neither a postgresql:// url"], .databaseURL),
    ]

    /// Checks a server's figures.
    /// - Parameters:
    ///   - health: the figures.
    ///   - poolSize: connections that each node opens, including the one for LISTEN.
    ///   - nodeCount: running nodes; at least one is assumed.
    ///   - isPooled: whether a pooler provides the connections.
    ///   - limits: thresholds for warnings.
    /// - Returns: the checks.
    package static func checks(
        _ health: DatabaseHealth,
        poolSize: Int,
        nodeCount: Int,
        isPooled: Bool,
        limits: DoctorLimits
    ) -> [DoctorCheck] {
        var checks = [version(health), writes(health), durability(health), clock(health, limits)]
        if !isPooled { checks.append(connections(health, poolSize * max(1, nodeCount))) }
        checks.append(transactions(health, limits))
        checks.append(deadRows(health, limits))
        checks.append(transactionAge(health))
        return checks
    }

    private static func version(_ health: DatabaseHealth) -> DoctorCheck {
        let found = "PostgreSQL \(health.versionText), texts in \(health.encoding)"
        guard health.version >= 150_000 else {
            return .failure(.database, "version", found, do: .upgradePostgres)
        }
        guard health.encoding == "UTF8" else {
            return .failure(
                .database,
                "version",
                found,
                do: .databaseEncoding
            )
        }
        return .ok(.database, "version", found)
    }

    private static func writes(_ health: DatabaseHealth) -> DoctorCheck {
        guard !health.isDiskFull else {
            return .failure(
                .database,
                "writable",
                "its disk is full: tables cannot grow (PostgreSQL error \(SQLState.diskFull))",
                do: .databaseDisk
            )
        }
        guard !health.isReplica else {
            return .failure(
                .database,
                "writable",
                "it is a replica, which takes no changes",
                do: .namePrimary
            )
        }
        return .ok(.database, "writable", "it takes changes")
    }

    private static func durability(_ health: DatabaseHealth) -> DoctorCheck {
        let found = """
            fsync \(health.fsync ? "on" : "off"), \
            synchronous_commit \(health.synchronousCommit), \
            full_page_writes \(health.fullPageWrites ? "on" : "off")
            """
        guard health.fsync else {
            return .failure(
                .database,
                "durability",
                found,
                do: .fsync
            )
        }
        guard health.synchronousCommit != "off" else {
            return .failure(
                .database,
                "durability",
                found,
                do: .synchronousCommit
            )
        }
        guard health.fullPageWrites else {
            return .warning(
                .database,
                "durability",
                found,
                do: .fullPageWrites
            )
        }
        return .ok(.database, "durability", found)
    }

    private static func clock(_ health: DatabaseHealth, _ limits: DoctorLimits) -> DoctorCheck {
        let certain = abs(health.clockOffset) - health.roundTripSeconds / 2
        let direction = health.clockOffset > 0 ? "ahead of" : "behind"
        let amount = DurationText.text(abs(health.clockOffset))
        guard certain > limits.clockSeconds else {
            return .ok(.database, "clock", "it differs from this machine's by \(amount)")
        }
        let found = "the database's is \(amount) \(direction) this machine's"
        return certain > 60
            ? .failure(.database, "clock", found, do: .setClocks)
            : .warning(.database, "clock", found, do: .setClocks)
    }

    private static func connections(_ health: DatabaseHealth, _ needed: Int) -> DoctorCheck {
        let free = health.connectionCountMax - health.reservedConnectionCount
        let found = """
            \(health.connectionCount) of \(free) in use; \(needed) are needed by the servers that \
            run or will
            """
        let values = ["count": "\(needed * 5 / 4 + health.reservedConnectionCount + 5)"]
        if needed > free {
            return .failure(.database, "connections", found, do: .connectionLimit, values)
        }
        if needed * 5 > free * 4 || health.connectionCount * 10 > free * 9 {
            return .warning(.database, "connections", found, do: .connectionLimit, values)
        }
        return .ok(.database, "connections", found)
    }

    private static func transactions(
        _ health: DatabaseHealth,
        _ limits: DoctorLimits
    ) -> DoctorCheck {
        let name = "transactions"
        guard let seconds = health.oldestTransactionSeconds, seconds > 1 else {
            return .ok(.database, name, "none is open for long")
        }
        let found = "the oldest is open for \(DurationText.text(seconds))"
        guard seconds > limits.transactionSeconds else { return .ok(.database, name, found) }
        return seconds > limits.transactionSeconds * 12
            ? .failure(.database, name, found, do: .endTransaction)
            : .warning(.database, name, found, do: .endTransaction)
    }

    private static func deadRows(_ health: DatabaseHealth, _ limits: DoctorLimits) -> DoctorCheck {
        let name = "dead rows"
        guard health.autovacuum else {
            return .failure(
                .database,
                name,
                "autovacuum is off",
                do: .autovacuum
            )
        }
        let swollen = health.tables.filter { table in
            table.deadRows > limits.deadRows
                && table.deadRows * 5 > (table.deadRows + table.liveRows) * 2
        }
        guard swollen.isEmpty else {
            let list = swollen.map { "\($0.name) \($0.deadRows) of \($0.deadRows + $0.liveRows)" }
            let tables = swollen.map(\.name).joined(separator: ", ")
            return .warning(
                .database,
                name,
                list.joined(separator: ", "),
                do: .vacuum,
                ["tables": tables]
            )
        }
        let all = health.tables.reduce(0) { $0 + $1.deadRows }
        return .ok(.database, name, "\(all) in the busiest tables")
    }

    private static func transactionAge(_ health: DatabaseHealth) -> DoctorCheck {
        let found = "the oldest unfrozen row is \(health.transactionAge / 1_000_000) million old"
        switch health.transactionAge {
        case ..<500_000_000: return .ok(.database, "row age", found)
        case ..<1_500_000_000: return .warning(.database, "row age", found, do: .freeze)
        default: return .failure(.database, "row age", found, do: .freeze)
        }
    }
}
