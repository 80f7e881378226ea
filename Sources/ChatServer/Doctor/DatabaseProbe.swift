// Connects to the database as the server would, and reads its figures.

import ChatProtocol
import ChatStore
import EventLoop
import Logging
import Postgres

/// The results of the database checks.
struct DatabaseFindings: Sendable {
    /// The checks.
    var checks: [DoctorCheck]
    /// The names of the running nodes; nil if unknown.
    var nodes: [String]?
    /// The names and revisions of the models that administrators downloaded.
    var fetchedModels: [(name: String, revision: String)] = []
    /// What administrators chose about models.
    var choices = ModelChoices()
}

/// Checks the database.
enum DatabaseProbe {
    /// Checks the database of these settings.
    static func look(
        _ settings: ServerSettings,
        _ options: Doctor.Options,
        _ logger: Logger
    ) async -> DatabaseFindings {
        if settings.databaseURL == nil, let checks = privateClusterToBe(settings) {
            return DatabaseFindings(checks: checks)
        }
        let database: Database
        do {
            database = try Database(opening: settings, migrates: false)
        } catch {
            return DatabaseFindings(checks: [DatabaseJudgement.unreachable("\(error)")])
        }
        defer { database.release() }
        do {
            return try await look(database, settings, options, logger)
        } catch MigrationError.database(let error) {
            return DatabaseFindings(checks: [DatabaseJudgement.unreachable(Self.reason(error))])
        } catch {
            return DatabaseFindings(checks: [DatabaseJudgement.unreachable("\(error)")])
        }
    }

    /// The checks for a private cluster that the first start will create; nil if it exists.
    private static func privateClusterToBe(_ settings: ServerSettings) -> [DoctorCheck]? {
        do {
            let cluster = try PrivateCluster.inspect(at: Database.cluster(settings))
            guard !cluster.hasData else { return nil }
            let found = DoctorFinding.known(.noDatabaseYet, ["version": "\(cluster.version)"])
            guard cluster.version >= 15 else {
                return [
                    .failure(.database, "reachable", found, do: .installPostgres)
                ]
            }
            return [.ok(.database, "reachable", found)]
        } catch {
            return [
                .failure(
                    .database,
                    "reachable",
                    "\(error)",
                    do: .nameDatabase
                )
            ]
        }
    }

    private static func look(
        _ database: Database,
        _ settings: ServerSettings,
        _ options: Doctor.Options,
        _ logger: Logger
    ) async throws -> DatabaseFindings {
        var configuration = database.configuration
        configuration.connectDeadline = .seconds(5)
        let schema = try Migrator(Database.migrations).status(of: configuration)
        configuration.connectionCount = 1
        // Reading all messages takes time.
        if options.isThorough { configuration.statementTimeout = .seconds(600) }
        let chosen = configuration
        let facts = try await EventLoop.run { loop in
            let pool = PostgresPool(loop: loop, configuration: chosen, logger: logger)
            do {
                let facts = try await DatabaseFacts(pool, schema, options)
                await pool.close()
                return facts
            } catch {
                await pool.close()
                throw error
            }
        }
        return findings(facts, schema, database, settings, options)
    }

    /// Checks the database of a running server over its own connections, on its loop.
    /// - Parameters:
    ///   - pool: the server's connections.
    ///   - workers: a thread that may block, to compare the schema.
    ///   - database: the server's database.
    ///   - settings: the server's settings.
    ///   - options: how to check.
    /// - Returns: the findings; that it is unreachable if it is.
    /// - Throws: `WorkerPoolError` while the server shuts down.
    static func look(
        over pool: PostgresPool,
        _ workers: WorkerPool,
        _ database: Database,
        _ settings: ServerSettings,
        _ options: Doctor.Options
    ) async throws -> DatabaseFindings {
        var configuration = database.configuration
        configuration.connectDeadline = .seconds(5)
        let compared = configuration
        do {
            let schema = try await workers.run {
                try Migrator(Database.migrations).status(of: compared)
            }
            let facts = try await DatabaseFacts(pool, schema, options)
            return findings(facts, schema, database, settings, options)
        } catch MigrationError.database(let error) {
            return DatabaseFindings(checks: [DatabaseJudgement.unreachable(reason(error))])
        } catch let error as PostgresError {
            return DatabaseFindings(checks: [DatabaseJudgement.unreachable(reason(error))])
        }
    }

    private static func findings(
        _ facts: DatabaseFacts,
        _ schema: SchemaStatus,
        _ database: Database,
        _ settings: ServerSettings,
        _ options: Doctor.Options
    ) -> DatabaseFindings {
        var findings = DatabaseFindings(
            checks: [.ok(.database, "reachable", "\(database.configuration)")],
            nodes: facts.work?.nodes,
            fetchedModels: facts.work?.fetchedModels ?? [],
            choices: facts.work?.choices ?? ModelChoices()
        )
        findings.checks += DatabaseJudgement.checks(
            facts.health,
            poolSize: settings.databaseConnections + (database.listening == nil ? 0 : 1),
            nodeCount: facts.work?.nodes.count ?? 0,
            isPooled: settings.databasePooling == .transaction,
            limits: options.limits
        )
        findings.checks.append(SchemaJudgement.check(schema))
        if let work = facts.work {
            findings.checks.append(SchemaJudgement.servers(work.nodes))
            findings.checks += SchemaJudgement.checks(
                work.queue,
                nodes: work.nodes,
                limits: options.limits
            )
            findings.checks.append(SchemaJudgement.ledger(work.imbalances))
            findings.checks.append(
                SchemaJudgement.users(work.userCount, administrators: work.administratorCount)
            )
        }
        return findings
    }

    /// The reason without our surrounding text.
    private static func reason(_ error: PostgresError) -> String {
        if case .connectionLost(let reason) = error { return reason }
        return "\(error)"
    }
}

/// The facts about a database.
private struct DatabaseFacts: Sendable {
    /// Figures that need a schema known to this program.
    struct Work: Sendable {
        let queue: QueueHealth
        let nodes: [String]
        let userCount: Int
        let administratorCount: Int
        let fetchedModels: [(name: String, revision: String)]
        let choices: ModelChoices
        let imbalances: [LedgerImbalance]
    }

    var health: DatabaseHealth
    let work: Work?

    init(_ pool: PostgresPool, _ schema: SchemaStatus, _ options: Doctor.Options) async throws {
        let store = Store(pool: pool)
        health = try await store.health.database()
        health.isDiskFull = try await !pool.hasDiskSpace()
        guard schema.isCurrent else {
            work = nil
            return
        }
        let users = try await store.health.userCounts()
        work = Work(
            queue: try await store.health.queue(looksForLost: options.isThorough),
            nodes: try await store.nodes.living().map(\.name),
            userCount: users.all,
            administratorCount: users.administrators,
            fetchedModels: try await store.models.list().filter(\.isFetched).map {
                ($0.name, $0.revision)
            },
            choices: try await store.models.choices(),
            imbalances: try await store.ledger.imbalances(
                since: options.isThorough ? nil : Self.monthAgo
            )
        )
    }

    /// The first day of the ledger that is checked unless all of it is.
    private static var monthAgo: String {
        let time = Timestamp(milliseconds: Timestamp.now.milliseconds - 30 * 86_400_000)
        return String("\(time)".prefix(10))
    }
}
