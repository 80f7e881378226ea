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
        return .failure(.database, "reachable", "\(found)", do: advice)
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
        let found = DoctorFinding.known(
            .databaseVersion,
            ["version": health.versionText, "encoding": health.encoding]
        )
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
                .known(.fullDisk, ["error": "\(SQLState.diskFull)"]),
                do: .databaseDisk
            )
        }
        guard !health.isReplica else {
            return .failure(
                .database,
                "writable",
                .known(.replica),
                do: .namePrimary
            )
        }
        return .ok(.database, "writable", .known(.takesChanges))
    }

    private static func durability(_ health: DatabaseHealth) -> DoctorCheck {
        let found: DoctorFinding = """
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
        let amount = abs(health.clockOffset)
        guard certain > limits.clockSeconds else {
            return .ok(.database, "clock", .known(.clockDiffers, span: amount))
        }
        let found = DoctorFinding.known(
            health.clockOffset > 0 ? .clockAhead : .clockBehind,
            span: amount
        )
        return certain > 60
            ? .failure(.database, "clock", found, do: .setClocks)
            : .warning(.database, "clock", found, do: .setClocks)
    }

    private static func connections(_ health: DatabaseHealth, _ needed: Int) -> DoctorCheck {
        let free = health.connectionCountMax - health.reservedConnectionCount
        let found = DoctorFinding.known(
            .connectionsInUse,
            ["used": "\(health.connectionCount)", "free": "\(free)", "needed": "\(needed)"]
        )
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
            return .ok(.database, name, .known(.noLongTransaction))
        }
        let found = DoctorFinding.known(.oldestTransaction, span: seconds)
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
                .known(.noAutovacuum),
                do: .autovacuum
            )
        }
        let swollen = health.tables.filter { table in
            table.deadRows > limits.deadRows
                && table.deadRows * 5 > (table.deadRows + table.liveRows) * 2
        }
        guard swollen.isEmpty else {
            let list = swollen.map { "\($0.name) \($0.deadRows)/\($0.deadRows + $0.liveRows)" }
            let tables = swollen.map(\.name).joined(separator: ", ")
            return .warning(
                .database,
                name,
                "\(list.joined(separator: ", "))",
                do: .vacuum,
                ["tables": tables]
            )
        }
        let all = health.tables.reduce(0) { $0 + $1.deadRows }
        return .ok(.database, name, .known(.deadRowCount, ["count": "\(all)"]))
    }

    private static func transactionAge(_ health: DatabaseHealth) -> DoctorCheck {
        let found = DoctorFinding.known(
            .oldestRow,
            ["millions": "\(health.transactionAge / 1_000_000)"]
        )
        switch health.transactionAge {
        case ..<500_000_000: return .ok(.database, "row age", found)
        case ..<1_500_000_000: return .warning(.database, "row age", found, do: .freeze)
        default: return .failure(.database, "row age", found, do: .freeze)
        }
    }
}
