// A PostgreSQL and servers for a measurement, as processes of their own: their memory and processor time are
// not those of the load generator.

import Doubles
import Glibc
import HTTPProtocol
import Postgres

/// A simulated engine's steps, in microseconds, and its slots.
struct SitePace: Sendable {
    var slots = 64
    /// For a step with one answer, for each further answer in it, and for each prompt token.
    var step = 30_000
    var answerToken = 0
    var promptToken = 0
    /// Prompt tokens of a step, at most: all of a prompt, so that prompts cost the engine one step.
    var prefillChunk = 8192
}

/// A server process.
struct SiteNode: Sendable {
    let program: ChildProgram
    let origin: HTTPOrigin

    var process: Int { Int(program.process) }
    /// Its processor time without the engine's, which takes none of a real server's.
    var usage: ProcessorUsage {
        ProcessorUsage(ofProcess: process, exceptThreads: SimulatedEngine.threadName)
    }
}

/// The servers, their database, and the connection that reads the database's figures. Blocks: use it
/// before a loop runs, or where nothing else does.
final class SiteServers {
    let database: BenchmarkDatabase
    let connection: BlockingConnection
    private(set) var nodes: [SiteNode] = []

    init() throws {
        database = try BenchmarkDatabase()
        connection = try BlockingConnection(database.configuration)
    }

    /// Starts a server with a simulated engine.
    func start(_ pace: SitePace) throws {
        let own = try SiteFiles.ownProgram()
        let folder = "\(database.folder)/node-\(nodes.count)"
        let program = try ChildProgram(
            [
                own, "serve", "--database-url", database.url, "--data-dir", folder,
                "--slots", "\(pace.slots)", "--step", "\(pace.step)",
                "--answer-token", "\(pace.answerToken)", "--prompt-token", "\(pace.promptToken)",
                "--prefill-chunk", "\(pace.prefillChunk)", "--no-titles",
            ],
            errors: "\(database.folder)/errors"
        )
        guard let line = program.line(beginningWith: "ready http://", within: 60),
            let origin = HTTPOrigin(String(line.dropFirst("ready ".count)))
        else { throw LoadError.unexpected("a server does not start") }
        nodes.append(SiteNode(program: program, origin: origin))
    }

    /// Stops servers and database, and deletes their files.
    func end() {
        for node in nodes {
            node.program.send(SIGTERM)
            _ = node.program.wait()
        }
        try? database.release()
    }

    // MARK: What PostgreSQL says

    /// PostgreSQL's processor time.
    var databaseUsage: ProcessorUsage { ProcessorUsage(ofProcess: database.postmaster) }

    /// Bytes of WAL since the database began.
    func walBytes() throws -> Double {
        let rows = try connection.query("SELECT (pg_current_wal_lsn() - '0/0')::int8 AS bytes")
        return Double(try rows.first?.decode("bytes", as: Int64.self) ?? 0)
    }

    /// Bytes of PostgreSQL's processes (Pss), with the buffers that they have used.
    func databaseMemory() throws -> Double {
        let processes = databaseUsage.children + [database.postmaster]
        return Double(try processes.reduce(0) { $0 + (try ProcessMemory.proportional(of: $1)) })
    }

    /// Statements since all are logged, of all connections.
    func statements() -> Int {
        SiteFiles.texts(in: "\(database.folder)/data/log").reduce(0) { sum, text in
            sum
                + text.split(separator: "\n").count {
                    $0.contains("LOG:  execute ") || $0.contains("LOG:  statement: ")
                }
        }
    }

    /// Logs all statements, or none.
    func logStatements(_ isOn: Bool) throws {
        try connection.run("ALTER SYSTEM SET log_statement = '\(isOn ? "all" : "none")'")
        try connection.run("SELECT pg_reload_conf()")
    }
}
