import Capacity
import Testing

@Suite("Boxes for a team")
struct SitePlanTests {
    private typealias Scene = CapacityScene

    private func plan(_ team: Team, _ goals: SiteGoals = SiteGoals()) throws -> SitePlan {
        try SitePlan(team: team, costs: Scene.costs, goals: goals)
    }

    @Test("keep the goals")
    func goals() throws {
        for people in [1.0, 50, 500, 5000, 50_000] {
            let plan = try plan(Team(people: people, readers: 3))
            let goals = SiteGoals()
            #expect(plan.forecast.firstToken <= goals.firstToken * 1.02)
            #expect(plan.forecast.tokensPerSecond >= goals.tokensPerSecond)
            #expect(plan.forecast.queue.utilization <= goals.utilization)
            #expect(plan.forecast.nodeProcessors <= goals.utilization)
            #expect(plan.forecast.connectionsPerNode <= goals.connectionsPerNode)
            let shares = plan.forecast.shares(plan.site, goals: goals)
            #expect(shares.values.allSatisfy { $0 <= 1.0001 }, "\(people): \(shares)")
        }
    }

    @Test("are never fewer for more people, longer answers, or more readers")
    func growth() throws {
        func neverFewer(_ teams: [Team]) throws {
            var before = Site(nodes: 0, engines: 0, slots: 0, databaseCores: 0)
            for team in teams {
                let site = try plan(team).site
                #expect(site.nodes >= before.nodes, "\(team)")
                #expect(site.engines >= before.engines, "\(team)")
                #expect(site.databaseCores >= before.databaseCores, "\(team)")
                before = site
            }
        }
        let people = stride(from: 1.0, through: 100_000, by: 1777)
        try neverFewer(people.map { Team(people: $0, readers: 2) })
        try neverFewer(
            stride(from: 10, through: 1000, by: 45).map {
                Team(people: 3000, answerTokens: $0)
            }
        )
        try neverFewer((1...30).map { Team(people: 3000, readers: Double($0)) })
    }

    @Test("are one of each for a small team")
    func small() throws {
        let plan = try plan(Team(people: 5))
        #expect(plan.site == Site(nodes: 1, engines: 1, slots: 16, databaseCores: 1))
        #expect(plan.forecast.remoteNodes == 0)
        #expect(plan.forecast.notifications.processors == 0)
    }

    @Test("have fewer slots where a reader wants more tokens a second")
    func slots() throws {
        // A step may take 1/15 s: 9.3 answers by the costs' line.
        let plan = try plan(Team(people: 100), SiteGoals(tokensPerSecond: 15))
        #expect(plan.site.slots == 9)
        #expect(plan.forecast.tokensPerSecond >= 15)
    }

    @Test("do not exist where no number of them keeps the goals")
    func failures() {
        #expect(throws: SitePlan.Failure.engineTooSlow(tokensPerSecond: 20)) {
            try plan(Team(people: 10), SiteGoals(tokensPerSecond: 21))
        }
        // 10,000 tokens at 1,000 a second.
        do {
            _ = try plan(Team(people: 10, promptTokens: 10_000, cachedShare: 0))
            Issue.record("there is a plan")
        } catch SitePlan.Failure.firstTokenTooLate(let seconds) {
            #expect(Scene.isNear(seconds, 10, within: 0.05))
        } catch {
            Issue.record(error)
        }
        #expect(throws: SitePlan.Failure.tooManyReaders) {
            try plan(
                Team(people: 100_000, turnsPerHour: 60, readers: 1000),
                SiteGoals(nodesMax: 20)
            )
        }
    }

    @Test("end first where the load is")
    func bottleneck() {
        let site = Site(nodes: 2, engines: 8, slots: 16, databaseCores: 1)
        func part(_ team: Team, _ costs: SiteCosts = Scene.costs) -> SitePart {
            SiteForecast(site, team: team, costs: costs).bottleneck(site, goals: SiteGoals())
        }
        #expect(part(Team(people: 500)) == .engines)
        #expect(part(Team(people: 5000, answerTokens: 30, readers: 5000)) == .nodes)
        #expect(part(Team(people: 30_000, active: 0)) == .connections)
        // Many short turns, with engines that are fast enough.
        var costs = Scene.costs
        costs.engine.batches = [.init(answers: 16, tokensPerSecond: 100_000)]
        costs.engine.promptTokensPerSecond = 1e6
        let short = Team(
            people: 5000,
            active: 1,
            turnsPerHour: 120,
            promptTokens: 10,
            answerTokens: 5
        )
        #expect(part(short, costs) == .database)
    }

    @Test("need PostgreSQL's processors for notifications only if there are several nodes")
    func notifications() {
        let team = Team(people: 20_000, readers: 3)
        func cost(_ nodes: Int) -> NotificationCost {
            let site = Site(nodes: nodes, engines: 100, slots: 16, databaseCores: 4)
            return SiteForecast(site, team: team, costs: Scene.costs).notifications
        }
        #expect(cost(1).perSecond == 0)
        #expect(cost(20).processors > 0)
        #expect(cost(60).perSecond > cost(20).perSecond)
        #expect(cost(60).isMeasured)
        #expect(!cost(100).isMeasured)
    }

    @Test(
        "pay for notifications what was measured",
        arguments: [(20, 10_000.0, 1.0), (60, 10_000, 1.4), (20, 600, 0.2), (20, 0, 0)]
    )
    func measured(nodes: Int, turnsPerMinute: Double, processors: Double) {
        // As in decision 7: two other nodes with readers, and answers of four seconds.
        let cost = NotificationCost(
            nodes: nodes,
            turnsPerSecond: turnsPerMinute / 60,
            remoteNodes: 2,
            answerSeconds: 4
        )
        #expect(abs(cost.processors - processors) < 0.15)
        #expect(cost.isMeasured)
    }

    @Test("count the deltas of an answer by its time, not its tokens, where the engine is fast")
    func deltas() {
        var costs = Scene.costs
        costs.engine.batches = [.init(answers: 1, tokensPerSecond: 400)]
        costs.engine.promptTokensPerSecond = 1e6
        let site = Site(nodes: 1, engines: 1, slots: 1, databaseCores: 1)
        let team = Team(people: 36, active: 0.1, turnsPerHour: 100, answerTokens: 401)
        let forecast = SiteForecast(site, team: team, costs: costs)
        // A turn in ten seconds; a second of writing is 40 deltas, and the first one is sent at once.
        #expect(Scene.isNear(forecast.deltasPerSecond, 4.1))
        #expect(Scene.isNear(forecast.growing, 0.1))
    }
}
