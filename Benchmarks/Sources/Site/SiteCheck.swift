// `stoa bench site-check`: three real loads, and what the model says of each.

import ArgumentParser
import Capacity
import EventLoop
import Glibc
import Inference

struct SiteCheck: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "site-check",
        abstract: "Compare the model of a site with three real loads.",
        discussion: """
            Servers and PostgreSQL are real, and the engine's scheduler is; the engine's steps take the \
            times of --step and so on. Exits with 1 where a figure differs by more than --tolerance.
            """
    )

    @Option(help: "The costs, as `stoa bench site --json` wrote them.") var costs: String
    @Option(help: "Questions a second of each load; may be repeated.")
    var rate: [Double] = [10, 20, 30]
    @Option(help: "Seconds of each load.") var seconds = 120.0
    @Option(help: "Words of an answer, the mean.") var words = 30.0
    @Option(help: "Members of a conversation, who all read.") var readers = 4
    @Option(help: "Groups of that many people.") var groups = 60
    @Option(help: "Answers at once.") var slots = 32
    @Option(help: "Microseconds of a step with one answer.") var step = 4000
    @Option(help: "Microseconds of a step for each further answer.") var answerToken = 250
    @Option(help: "Microseconds of a step for each prompt token.") var promptToken = 50
    @Option(help: "The largest difference, as a share of what was measured.") var tolerance = 0.2
    @Option(help: "Repeats the questions.") var seed: UInt64 = 1

    private var pace: SitePace {
        SitePace(
            slots: slots,
            step: step,
            answerToken: answerToken,
            promptToken: promptToken,
            prefillChunk: EngineConfiguration.standard.prefillChunk
        )
    }

    func run() async throws {
        _ = DescriptorLimit.raise()
        var costs = try SiteFiles.costs(at: costs)
        costs.engine = pace.speed
        let (command, known) = (self, costs)
        let points = try await EventLoop.run(name: "site-check") { loop in
            let points = try await command.measure(loop, known)
            return points
        }
        let worst = points.map(\.worst).max() ?? 0
        guard worst <= tolerance else { throw ExitCode.failure }
    }

    private func measure(_ loop: EventLoop, _ costs: SiteCosts) async throws -> [Point] {
        let servers = try SiteServers()
        defer { servers.end() }
        try servers.start(pace)
        let crowd = try SiteCrowd(loop, servers, groups: groups, readers: readers)
        defer { crowd.close() }
        try await crowd.connect(toNode: 0)
        var points: [Point] = []
        for rate in rate {
            var load = SiteLoad(turnsPerSecond: rate, seconds: seconds)
            load.words = words
            load.isVaried = true
            load.readers = readers
            let run = SiteRun(crowd, load, seed: seed)
            try await run.measure()
            let point = Point(rate, run.run, run.seen, slots: slots, costs)
            print(point.table)
            fflush(nil)
            points.append(point)
        }
        return points
    }

    /// A load, and what the model says of it.
    struct Point: Sendable {
        struct Row: Sendable {
            let name: String
            let measured: Double
            let model: Double

            var difference: Double { measured > 0 ? model / measured - 1 : 0 }
        }

        let rate: Double
        let rows: [Row]

        /// The largest difference.
        var worst: Double { rows.map { abs($0.difference) }.max() ?? 0 }

        var table: String {
            var lines = [
                "\(SiteTables.number(rate)) questions a second", "",
                "| what | measured | model | difference |", "|---|---:|---:|---:|",
            ]
            for row in rows {
                let percent = Int((row.difference * 100).rounded())
                let values = [row.measured, row.model].map(SiteTables.number)
                lines.append("| \(row.name) | \(values[0]) | \(values[1]) | \(percent) % |")
            }
            return lines.joined(separator: "\n") + "\n"
        }

        /// The model gets what was asked, not what was planned: chance has made some of it.
        init(
            _ rate: Double,
            _ run: MeasuredRun,
            _ seen: SiteSeen,
            slots: Int,
            _ costs: SiteCosts
        ) {
            self.rate = rate
            let team = Team(
                people: run.connections,
                active: 1,
                turnsPerHour: run.turns / run.seconds / run.connections * 3600,
                promptTokens: run.promptTokens / run.turns,
                cachedShare: 0,
                answerTokens: seen.answerTokens,
                answerVariation: seen.answerVariation,
                readers: 1 + run.furtherReaders / run.turns
            )
            let site = Site(nodes: 1, engines: 1, slots: slots, databaseCores: costs.machine.cores)
            let forecast = SiteForecast(site, team: team, costs: costs)
            rows = [
                Row(
                    name: "processors of the server",
                    measured: run.nodeSeconds / run.seconds,
                    model: forecast.nodeProcessors
                ),
                Row(
                    name: "processors of PostgreSQL",
                    measured: run.databaseSeconds / run.seconds,
                    model: forecast.databaseProcessors
                ),
                Row(
                    name: "WAL, kB a second",
                    measured: run.walBytes / run.seconds / 1000,
                    model: forecast.walPerSecond / 1000
                ),
                Row(
                    name: "answers that grow",
                    measured: run.growingSeconds / run.seconds,
                    model: forecast.growing
                ),
                Row(
                    name: "first token, mean, ms",
                    measured: seen.firstTokens.mean * 1000,
                    model: forecast.firstToken * 1000
                ),
                Row(
                    name: "tokens a second of a reader",
                    measured: seen.tokenSeconds.mean > 0 ? 1 / seen.tokenSeconds.mean : 0,
                    model: forecast.tokensPerSecond
                ),
            ]
        }
    }
}

extension SitePace {
    /// What the model has to know of it.
    var speed: EngineSpeed {
        let chunk = prefillChunk
        let (step, prompt) = (Double(step) / 1e6, Double(promptToken) / 1e6)
        return EngineSpeed(
            model: "simulated",
            batches: [1, slots].map { count in
                let seconds = step + Double(answerToken) / 1e6 * Double(count - 1)
                return .init(answers: count, tokensPerSecond: Double(count) / seconds)
            },
            promptTokensPerSecond: 1 / (prompt + step / Double(chunk)),
            promptChunk: chunk
        )
    }
}
