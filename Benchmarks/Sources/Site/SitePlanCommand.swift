// `stoa bench site-plan` and `site-simulation`: the model, with costs from a file and a team from options.

import ArgumentParser
import Capacity
import Inference

/// Costs, and who asks how much.
struct SiteOptions: ParsableArguments {
    @Option(help: "The costs, as `stoa bench site --json` wrote them.") var costs: String
    @Option(help: "People with the page or a program open.") var people: Double
    @Option(help: "The share of them who ask at the busiest time.") var active = 0.1
    @Option(help: "Turns of an active person in an hour.") var turnsPerHour = 12.0
    @Option(help: "Tokens of a prompt, with the earlier turns.") var promptTokens = 1000.0
    @Option(help: "The share of a prompt that is in the engine's cache.") var cached = 0.5
    @Option(help: "Tokens of an answer.") var answerTokens = 300.0
    @Option(help: "Members of a conversation who watch an answer grow.") var readers = 1.0
    @Option(help: "Another engine: tokens a second by answers at once, as 1:20,8:110.")
    var engineSpeeds: String?
    @Option(help: "Prompt tokens a second of that engine.") var promptSpeed: Double?
    @Option(help: "Seconds to the first token, the mean, at most.") var firstToken = 2.0
    @Option(help: "Tokens a second of a reader, at least.") var tokensPerSecond = 8.0
    @Option(help: "The share of processors and engines that is used, at most.")
    var utilization = 0.7

    func validate() throws {
        guard people >= 0, (0...1).contains(active), turnsPerHour >= 0, promptTokens >= 0,
            (0...1).contains(cached), answerTokens >= 1, readers >= 1
        else { throw ValidationError("shares are between 0 and 1, and numbers not negative") }
        guard firstToken > 0, tokensPerSecond > 0, utilization > 0, utilization < 1 else {
            throw ValidationError("goals are greater than 0, and --utilization is below 1")
        }
    }

    var team: Team {
        Team(
            people: people,
            active: active,
            turnsPerHour: turnsPerHour,
            promptTokens: promptTokens,
            cachedShare: cached,
            answerTokens: answerTokens,
            readers: readers
        )
    }

    var goals: SiteGoals {
        SiteGoals(
            firstToken: firstToken,
            tokensPerSecond: tokensPerSecond,
            utilization: utilization
        )
    }

    func measured() throws -> SiteCosts {
        var measured = try SiteFiles.costs(at: costs)
        if let engineSpeeds {
            let batches = engineSpeeds.split(separator: ",").compactMap { part in
                let sides = part.split(separator: ":")
                guard sides.count == 2, let count = Int(sides[0]), let speed = Double(sides[1]),
                    count > 0, speed > 0
                else { return EngineSpeed.Batch?.none }
                return EngineSpeed.Batch(answers: count, tokensPerSecond: speed)
            }
            guard !batches.isEmpty,
                batches.count == engineSpeeds.split(separator: ",").count
            else { throw ValidationError("--engine-speeds is a list such as 1:20,8:110") }
            // Its memory is not known.
            measured.engine = EngineSpeed(
                model: "another",
                batches: batches,
                promptTokensPerSecond: measured.engine.promptTokensPerSecond
            )
        }
        if let promptSpeed {
            guard promptSpeed > 0 else { throw ValidationError("--prompt-speed is above 0") }
            measured.engine.promptTokensPerSecond = promptSpeed
        }
        return measured
    }

    func plan(_ costs: SiteCosts) throws -> SitePlan {
        do {
            return try SitePlan(team: team, costs: costs, goals: goals)
        } catch .engineTooSlow(let speed) {
            throw ValidationError(
                """
                this engine gives one reader \(SiteTables.number(speed)) tokens a second: take a \
                faster engine, or lower --tokens-per-second
                """
            )
        } catch .firstTokenTooLate(let seconds) {
            throw ValidationError(
                """
                this engine reads the prompt in \(SiteTables.number(seconds)) s: take a faster \
                engine, or raise --first-token
                """
            )
        } catch .tooManyReaders {
            throw ValidationError("each node has readers of too many answers: lower --readers")
        }
    }
}

struct SitePlanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "site-plan",
        abstract: "Say which boxes a team needs, from measured costs."
    )

    /// A plan as JSON.
    private struct Output: Encodable {
        let team: Team
        let goals: SiteGoals
        let site: Site
        let firstToken: Double
        let tokensPerSecond: Double
        let nodeProcessors: Double
        let databaseProcessors: Double
        let memory: SiteForecast.Memory
        let bottleneck: SitePart
    }

    @OptionGroup var options: SiteOptions
    @Option(help: "The file for the plan, as JSON.") var json: String?

    func run() throws {
        let plan = try options.plan(try options.measured())
        print(SiteTables.forecast(plan.site, plan.forecast, options.goals), terminator: "")
        guard let json else { return }
        let output = Output(
            team: options.team,
            goals: options.goals,
            site: plan.site,
            firstToken: plan.forecast.firstToken,
            tokensPerSecond: plan.forecast.tokensPerSecond,
            nodeProcessors: plan.forecast.nodeProcessors,
            databaseProcessors: plan.forecast.databaseProcessors,
            memory: plan.forecast.memory,
            bottleneck: plan.bottleneck
        )
        try SiteFiles.write(output, to: json)
    }
}

struct SiteSimulationCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "site-simulation",
        abstract: "Simulate a team on many nodes, with measured costs."
    )

    @OptionGroup var options: SiteOptions
    @Option(help: "Nodes; as many as planned without it.") var nodes: Int?
    @Option(help: "Engines; as many as planned without it.") var engines: Int?
    @Option(help: "Cores of PostgreSQL; as many as planned without it.") var databaseCores: Int?
    @Option(help: "Seconds to simulate.") var seconds = 60.0
    @Option(help: "Repeats a simulation.") var seed: UInt64 = 1
    @Option(help: "The file for the figures, as JSON.") var json: String?

    func validate() throws {
        guard [nodes, engines, databaseCores].allSatisfy({ ($0 ?? 1) > 0 }), seconds > 0 else {
            throw ValidationError("numbers of boxes begin with 1")
        }
    }

    func run() throws {
        let costs = try options.measured()
        var site = try options.plan(costs).site
        site.nodes = nodes ?? site.nodes
        site.engines = engines ?? site.engines
        site.databaseCores = databaseCores ?? site.databaseCores
        var random = SplitMix64(seed: seed)
        var simulation = SiteSimulation(site, team: options.team, costs: costs)
        let figures = simulation.run(seconds: seconds, using: &random)
        print(
            "\(site.nodes) nodes, \(site.engines) engines of \(site.slots) answers at once, \(site.databaseCores) cores of PostgreSQL"
        )
        print(SiteTables.simulation(figures), terminator: "")
        if let json { try SiteFiles.write(figures, to: json) }
    }
}
