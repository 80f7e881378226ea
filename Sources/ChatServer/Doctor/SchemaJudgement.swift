// Checks the schema's version, and invalid or stuck rows.

package import ChatStore
package import Postgres

/// Checks a schema, and the work in its tables.
package enum SchemaJudgement {
    /// Checks a schema's version.
    package static func check(_ status: SchemaStatus) -> DoctorCheck {
        let found = "step \(status.appliedCount) of \(status.knownCount)"
        guard status.appliedCount <= status.knownCount else {
            if status.isNewerUsable, status.edited.isEmpty {
                return .ok(
                    .schema,
                    "migrations",
                    "step \(status.appliedCount), which works with this program's "
                        + "\(status.knownCount)"
                )
            }
            return .failure(
                .schema,
                "migrations",
                "the database is at step \(status.appliedCount), this program knows "
                    + "\(status.knownCount)",
                do: .newerProgram
            )
        }
        guard status.edited.isEmpty else {
            return .failure(
                .schema,
                "migrations",
                "\(status.edited.joined(separator: ", ")) differ from what was applied",
                do: .matchingProgram
            )
        }
        guard status.pending.isEmpty else {
            return .warning(
                .schema,
                "migrations",
                "\(found); still to come: \(status.pending.joined(separator: ", "))",
                do: .migrate
            )
        }
        return .ok(.schema, "migrations", found)
    }

    /// Checks the queue.
    /// - Parameters:
    ///   - queue: queued and stuck runs.
    ///   - nodes: the names of the running nodes.
    ///   - limits: thresholds for warnings.
    /// - Returns: the checks.
    package static func checks(
        _ queue: QueueHealth,
        nodes: [String],
        limits: DoctorLimits
    ) -> [DoctorCheck] {
        var checks = [waiting(queue, nodes, limits), abandoned(queue, nodes)]
        if queue.strayCount > 0 {
            checks.append(
                .failure(
                    .work,
                    "stray rows",
                    "\(queue.strayCount) rows of the queue have no unfinished message",
                    do: .strayRows
                )
            )
        } else {
            checks.append(.ok(.work, "stray rows", "none in the queue"))
        }
        if let lost = queue.lostCount {
            checks.append(
                lost == 0
                    ? .ok(.work, "lost answers", "none")
                    : .failure(
                        .work,
                        "lost answers",
                        "\(lost) unfinished answers are not in the queue",
                        do: .lostAnswers
                    )
            )
        }
        return checks
    }

    /// Lists the running servers: several on one database are nodes of one installation, on purpose
    /// or by mistake.
    /// - Parameter nodes: the names of the running nodes.
    /// - Returns: the check.
    package static func servers(_ nodes: [String]) -> DoctorCheck {
        let found =
            switch nodes.count {
            case 0: "no server runs on this database"
            case 1: "1 server runs on this database: \(nodes[0])"
            default:
                "\(nodes.count) servers run on this database: \(nodes.joined(separator: ", "))"
            }
        return .ok(.work, "servers", found)
    }

    private static func waiting(
        _ queue: QueueHealth,
        _ nodes: [String],
        _ limits: DoctorLimits
    ) -> DoctorCheck {
        let longest = queue.oldestWaitSeconds ?? 0
        var found = "\(queue.runningCount) are made, \(queue.waitingCount) wait"
        if queue.waitingCount > 0 { found += ", the first for \(DurationText.text(longest))" }
        guard queue.waitingCount > 0, longest > limits.waitSeconds else {
            return .ok(.work, "answers", found)
        }
        return .warning(
            .work,
            "answers",
            found,
            do: nodes.isEmpty ? .startServer : .slowQueue
        )
    }

    private static func abandoned(_ queue: QueueHealth, _ nodes: [String]) -> DoctorCheck {
        guard queue.abandonedCount > 0 else {
            return .ok(.work, "abandoned answers", "none")
        }
        let found = "\(queue.abandonedCount) lost their server, and no other has taken them over"
        guard nodes.isEmpty else {
            return .failure(
                .work,
                "abandoned answers",
                found,
                do: .abandonedAnswers,
                ["nodes": nodes.joined(separator: ", ")]
            )
        }
        return .warning(
            .work,
            "abandoned answers",
            found,
            do: .resumeAnswers
        )
    }

    /// Checks the sums of the ledger.
    package static func ledger(_ imbalances: [LedgerImbalance]) -> DoctorCheck {
        guard let first = imbalances.first else { return .ok(.work, "ledger", "it balances") }
        return .failure(
            .work,
            "ledger",
            "\(imbalances.count) findings, the first: \(first.problem) (\(first.subject))",
            do: .ledger
        )
    }

    /// Checks the number of users.
    package static func users(_ all: Int, administrators: Int) -> DoctorCheck {
        let found = "\(all) users, \(administrators) of them administrators"
        if all == 0 {
            return .warning(
                .work,
                "users",
                "nobody can sign in yet",
                do: .firstUser
            )
        }
        guard administrators > 0 else {
            return .failure(.work, "users", found, do: .addAdministrator)
        }
        return .ok(.work, "users", found)
    }
}
