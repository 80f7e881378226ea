// Checks the schema's version, and invalid or stuck rows.

package import ChatStore
package import Postgres

/// Checks a schema, and the work in its tables.
package enum SchemaJudgement {
    /// Checks a schema's version.
    package static func check(_ status: SchemaStatus) -> DoctorCheck {
        let counts = ["step": "\(status.appliedCount)", "known": "\(status.knownCount)"]
        guard status.appliedCount <= status.knownCount else {
            if status.isNewerUsable, status.edited.isEmpty {
                return .ok(.schema, "migrations", .known(.newerUsableSchema, counts))
            }
            return .failure(
                .schema,
                "migrations",
                .known(.newerSchema, counts),
                do: .newerProgram
            )
        }
        guard status.edited.isEmpty else {
            return .failure(
                .schema,
                "migrations",
                .known(.editedSteps, ["steps": status.edited.joined(separator: ", ")]),
                do: .matchingProgram
            )
        }
        guard status.pending.isEmpty else {
            return .warning(
                .schema,
                "migrations",
                .known(
                    .pendingSteps,
                    counts.merging(["steps": status.pending.joined(separator: ", ")]) { $1 }
                ),
                do: .migrate
            )
        }
        return .ok(.schema, "migrations", .known(.schemaStep, counts))
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
                    .known(.strayRows, ["count": "\(queue.strayCount)"]),
                    do: .strayRows
                )
            )
        } else {
            checks.append(.ok(.work, "stray rows", .known(.nothing)))
        }
        if let lost = queue.lostCount {
            checks.append(
                lost == 0
                    ? .ok(.work, "lost answers", .known(.nothing))
                    : .failure(
                        .work,
                        "lost answers",
                        .known(.lostAnswers, ["count": "\(lost)"]),
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
        let names = nodes.joined(separator: ", ")
        let found: DoctorFinding =
            switch nodes.count {
            case 0: .known(.noServer)
            case 1: .known(.oneServer, ["nodes": names])
            default: .known(.severalServers, ["count": "\(nodes.count)", "nodes": names])
            }
        return .ok(.work, "servers", found)
    }

    private static func waiting(
        _ queue: QueueHealth,
        _ nodes: [String],
        _ limits: DoctorLimits
    ) -> DoctorCheck {
        let longest = queue.oldestWaitSeconds ?? 0
        let counts = ["running": "\(queue.runningCount)", "waiting": "\(queue.waitingCount)"]
        let found: DoctorFinding =
            queue.waitingCount > 0
            ? .known(.waitingAnswers, counts, span: longest) : .known(.queuedAnswers, counts)
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
            return .ok(.work, "abandoned answers", .known(.nothing))
        }
        let found = DoctorFinding.known(
            .abandonedAnswers,
            ["count": "\(queue.abandonedCount)"]
        )
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
        guard let first = imbalances.first else {
            return .ok(.work, "ledger", .known(.balancedLedger))
        }
        return .failure(
            .work,
            "ledger",
            .known(
                .unbalancedLedger,
                [
                    "count": "\(imbalances.count)", "problem": "\(first.problem)",
                    "subject": "\(first.subject)",
                ]
            ),
            do: .ledger
        )
    }

    /// Checks the number of users.
    package static func users(_ all: Int, administrators: Int) -> DoctorCheck {
        let found = DoctorFinding.known(
            .userCount,
            ["users": "\(all)", "administrators": "\(administrators)"]
        )
        if all == 0 {
            return .warning(
                .work,
                "users",
                .known(.noUser),
                do: .firstUser
            )
        }
        guard administrators > 0 else {
            return .failure(.work, "users", found, do: .addAdministrator)
        }
        return .ok(.work, "users", found)
    }
}
