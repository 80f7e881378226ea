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
        let advice = known?.advice ?? "see PostgreSQL's log, and compare --database-url with it"
        let found = reason.split { $0 == "\t" || $0 == "\n" }.joined(separator: " ")
        return .failure(.database, "reachable", found, do: advice)
    }

    private static let refusals: [(words: [String], advice: String)] = [
        (
            ["password authentication failed"],
            "correct user and password in --database-url, or set the password: ALTER ROLE … PASSWORD …"
        ),
        (["no password supplied"], "put the password into --database-url, or into ~/.pgpass"),
        (["role", "does not exist"], "make the role: CREATE ROLE … LOGIN PASSWORD …"),
        (["database", "does not exist"], "make the database: CREATE DATABASE … OWNER …"),
        (
            ["pg_hba.conf"],
            "let this machine in: a line for it in pg_hba.conf, then SELECT pg_reload_conf()"
        ),
        (
            ["unsupported startup parameter"],
            "that is PgBouncer: say --database-pooling transaction"
        ),
        (
            ["too many clients"],
            "raise max_connections, lower --database-connections, or find who holds the others"
        ),
        (
            ["connection slots"],
            "raise max_connections, lower --database-connections, or find who holds the others"
        ),
        (["starting up"], "wait: PostgreSQL replays its log after a crash"),
        (["shutting down"], "wait until PostgreSQL is back"),
        (
            ["connection refused"],
            "start PostgreSQL; if it runs, compare its port and listen_addresses with --database-url"
        ),
        (
            ["no such file or directory"],
            "start PostgreSQL; if it runs, compare its unix_socket_directories with --database-url"
        ),
        (
            ["could not translate host name"],
            "correct the host in --database-url, or this machine's DNS"
        ),
        (["timeout"], "see whether a firewall drops packets between this machine and PostgreSQL"),
        (["timed out"], "see whether a firewall drops packets between this machine and PostgreSQL"),
        (["ssl"], "compare sslmode and certificates in --database-url with PostgreSQL's"),
        (["neither a postgresql:// url"], "write it as postgresql://user:password@host:port/name"),
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
            return .failure(.database, "version", found, do: "upgrade to PostgreSQL 15 or later")
        }
        guard health.encoding == "UTF8" else {
            return .failure(
                .database,
                "version",
                found,
                do: "make a database with ENCODING 'UTF8' and move the data there with pg_dump"
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
                do: "free space where PostgreSQL keeps its data; what was stored is safe, and the"
                    + " servers go on by themselves"
            )
        }
        guard !health.isReplica else {
            return .failure(
                .database,
                "writable",
                "it is a replica, which takes no changes",
                do: "name the primary in --database-url (target_session_attrs=read-write finds it)"
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
                do: "a crash can destroy the database: ALTER SYSTEM SET fsync = on, then "
                    + "SELECT pg_reload_conf()"
            )
        }
        guard health.synchronousCommit != "off" else {
            return .failure(
                .database,
                "durability",
                found,
                do: "a crash can lose what was acknowledged: ALTER SYSTEM SET "
                    + "synchronous_commit = on, then SELECT pg_reload_conf(); see the role's too"
            )
        }
        guard health.fullPageWrites else {
            return .warning(
                .database,
                "durability",
                found,
                do: "unless the disk never tears a page: ALTER SYSTEM SET full_page_writes = on"
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
        let advice = "set both by NTP, such as timedatectl set-ntp true: sign-ins end by that clock"
        return certain > 60
            ? .failure(.database, "clock", found, do: advice)
            : .warning(.database, "clock", found, do: advice)
    }

    private static func connections(_ health: DatabaseHealth, _ needed: Int) -> DoctorCheck {
        let free = health.connectionCountMax - health.reservedConnectionCount
        let found = """
            \(health.connectionCount) of \(free) in use; \(needed) are needed by the servers that \
            run or will
            """
        let advice = """
            raise max_connections to \(needed * 5 / 4 + health.reservedConnectionCount + 5) or more, \
            or lower --database-connections
            """
        if needed > free { return .failure(.database, "connections", found, do: advice) }
        if needed * 5 > free * 4 || health.connectionCount * 10 > free * 9 {
            return .warning(.database, "connections", found, do: advice)
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
        let advice = """
            find it in pg_stat_activity (order by xact_start) and end it with \
            pg_terminate_backend(pid): dead rows stay as long as it is open
            """
        return seconds > limits.transactionSeconds * 12
            ? .failure(.database, name, found, do: advice)
            : .warning(.database, name, found, do: advice)
    }

    private static func deadRows(_ health: DatabaseHealth, _ limits: DoctorLimits) -> DoctorCheck {
        let name = "dead rows"
        guard health.autovacuum else {
            return .failure(
                .database,
                name,
                "autovacuum is off",
                do: "ALTER SYSTEM SET autovacuum = on, then SELECT pg_reload_conf()"
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
                do: "VACUUM (ANALYZE) \(tables), and see what keeps autovacuum from it"
            )
        }
        let all = health.tables.reduce(0) { $0 + $1.deadRows }
        return .ok(.database, name, "\(all) in the busiest tables")
    }

    private static func transactionAge(_ health: DatabaseHealth) -> DoctorCheck {
        let found = "the oldest unfrozen row is \(health.transactionAge / 1_000_000) million old"
        let advice = "VACUUM (FREEZE) as superuser: at 2,000 million PostgreSQL stops to write"
        switch health.transactionAge {
        case ..<500_000_000: return .ok(.database, "row age", found)
        case ..<1_500_000_000: return .warning(.database, "row age", found, do: advice)
        default: return .failure(.database, "row age", found, do: advice)
        }
    }
}
