// `stoa-chaos`: kills servers and PostgreSQL while clients with faulty connections load them, and then
// compares every byte. `make chaos` runs it; Tests/EndToEnd/ChaosTests.swift has a short form.

import ArgumentParser
import EventLoop

/// What the servers store in.
enum DatabaseKind: String, ExpressibleByArgument {
    /// One PostgreSQL, which is killed and started again.
    case `private`
    /// One PostgreSQL on a disk that loses what it was not told to keep.
    case power
    /// Three under Patroni, of which the primary fails.
    case patroni
}

@main
struct StoaChaos: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stoa-chaos",
        abstract: "Kill servers and databases, lose acknowledgements, and look for what was lost.",
        discussion: """
            The same seed repeats the same plan of actions. Exits with 1 where anything does not \
            hold; the logs and the database's folder stay then.
            """
    )

    @Option(help: "Decides who says what, who is killed when, and what the network does.")
    var seed: UInt64 = 1
    @Option(help: "Kills of servers and PostgreSQL.") var kills = 50
    @Option(help: "Messages to send.") var sends = 3000
    @Option(help: "Servers on the one database.") var nodes = 1
    @Option(help: "Remote engines, which fail in every way.") var engines = 0
    @Option(help: "Seconds that a lease holds.") var leaseSeconds = 3
    @Option(help: "Answers that a server makes at once.") var slots = 8
    @Option(help: "Threads of a server's engine.") var threads = 1
    @Option(help: "private; power: it loses power; patroni: three servers that fail over.")
    var database = DatabaseKind.private
    @Option(help: "Sends that begin in a second at most; 0 for no limit.") var rate = 0
    @Flag(
        inversion: .prefixedNo,
        help: "PostgreSQL waits for the disk, as with power; a kill drops the page cache."
    )
    var fsync: Bool?
    @Flag(help: "Say every ten seconds how far it is.") var progress = false

    func validate() throws {
        guard sends > 0, kills >= 0, nodes > 0, engines >= 0 else {
            throw ValidationError("there must be something to send, and a server to send it to")
        }
    }

    func run() async throws {
        let (seed, sends, kills, nodes) = (seed, sends, kills, nodes)
        let settings = Installation.Settings(
            nodes: nodes,
            engines: engines,
            leaseSeconds: leaseSeconds,
            slots: slots,
            threads: threads,
            database: database,
            synchronizes: fsync ?? (database == .power)
        )
        let rate = rate > 0 ? rate : nil
        let isVerbose = progress
        let verdict = try await EventLoop.run(name: "chaos") { loop in
            var plan = Plan(
                seed: seed,
                sends: sends,
                kills: kills,
                nodes: nodes,
                failsOver: settings.database == .patroni
            )
            plan.sendsPerSecond = rate
            return try await ChaosRun(loop: loop, plan: plan, isVerbose: isVerbose)
                .perform(settings)
        }
        let width = verdict.counts.map(\.name.count).max() ?? 0
        for (name, value) in verdict.counts {
            print(name + String(repeating: " ", count: width - name.count + 2) + value)
        }
        print("violations" + String(repeating: " ", count: width - 8) + "\(verdict.violationCount)")
        for violation in verdict.violations { print("  \(violation)") }
        if verdict.violationCount > 0 { throw ExitCode.failure }
    }
}
