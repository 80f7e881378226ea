// `stoa bench site`: what a site's parts cost on this machine.

import ArgumentParser
import Capacity
import ChatServer
import EventLoop
import FoundationEssentials
import Inference

struct SiteBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "site",
        abstract: "Measure what a site's parts cost on this machine; site-plan uses it.",
        discussion: """
            Starts a PostgreSQL and servers of its own. The engine is measured alone; the servers have \
            a simulated one, which takes no processor time.
            """
    )

    @Option(
        help: "The model: \(BenchmarkModel.help); the demo model without it.",
        transform: BenchmarkModel.path
    )
    var model: String?
    @Option(help: "Threads that share a pass of the engine.")
    var threads = EngineConfiguration.threadsDefault
    @Option(help: "Rounds of all loads.") var rounds = 3
    @Option(help: "Seconds of each load.") var seconds = 8.0
    @Option(help: "Questions a second.") var turnsPerSecond = 24.0
    @Option(help: "Groups of people, each with 16 connections.") var groups = 60
    @Option(help: "The file for the costs, as JSON.") var json: String?
    @Option(help: "The file for the runs that they were computed from, as JSON.")
    var runs: String?

    func validate() throws {
        guard rounds > 0, seconds > 0, turnsPerSecond > 0, groups > 0 else {
            throw ValidationError("numbers must be greater than 0")
        }
    }

    func run() async throws {
        _ = DescriptorLimit.raise()
        var measurement = SiteMeasurement()
        measurement.rounds = rounds
        measurement.seconds = seconds
        measurement.turnsPerSecond = turnsPerSecond
        measurement.groups = groups
        let speed = try engineSpeed()
        let loads = measurement
        let result = try await EventLoop.run(name: "site") { loop in
            let result = try await loads.run(loop)
            return result
        }
        let costs = SiteCosts(
            machine: SiteFiles.machine(version: StoaVersion.text),
            node: result.node,
            database: result.database,
            engine: speed
        )
        print(SiteTables.costs(costs), terminator: "")
        if let json { try SiteFiles.write(costs, to: json) }
        if let runs { try SiteFiles.write(result.rounds, to: runs) }
    }

    private func engineSpeed() throws -> EngineSpeed {
        let temporary = "/tmp/stoa-bench-\(UUID().uuidString.lowercased())"
        defer { try? FileManager.default.removeItem(atPath: temporary) }
        let folder = try model ?? DemoModel.folder(in: temporary)
        return try SiteEngineMeasurement(folder: folder, threads: threads, rounds: rounds).run()
    }
}
