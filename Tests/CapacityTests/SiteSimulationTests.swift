import Capacity
import TestSupport
import Testing

@Suite("A simulated site")
struct SiteSimulationTests {
    private typealias Scene = CapacityScene

    private func figures(
        _ site: Site,
        _ team: Team,
        seed: UInt64 = 1,
        seconds: Double = 120
    ) -> SimulatedFigures {
        var generator = SeededGenerator(seed: seed)
        var simulation = SiteSimulation(site, team: team, costs: Scene.costs)
        return simulation.run(seconds: seconds, using: &generator)
    }

    @Test("is the same with the same seed, and another with another")
    func seeds() throws {
        let team = Team(people: 1000, readers: 3)
        let site = try SitePlan(team: team, costs: Scene.costs).site
        #expect(figures(site, team) == figures(site, team))
        #expect(figures(site, team) != figures(site, team, seed: 2))
    }

    @Test("is near the forecast where nothing is overloaded", arguments: [1, 4])
    func forecast(nodes: Int) throws {
        let team = Team(people: 3000, readers: 2)
        var site = try SitePlan(team: team, costs: Scene.costs).site
        site.nodes = nodes
        let forecast = SiteForecast(site, team: team, costs: Scene.costs)
        let seen = figures(site, team, seconds: 400)
        #expect(Scene.isNear(seen.turnsPerMinute, team.turnsPerSecond * 60, within: 0.1))
        #expect(Scene.isNear(seen.nodeProcessors, forecast.nodeProcessors, within: 0.15))
        #expect(
            Scene.isNear(seen.databaseProcessors.median, forecast.databaseProcessors, within: 0.2)
        )
        #expect(Scene.isNear(seen.running, forecast.queue.running, within: 0.15))
    }

    @Test("has a growing queue where engines are too few, and late work where a node is")
    func overload() {
        let team = Team(people: 6000, readers: 3)
        let few = figures(Site(nodes: 2, engines: 2, slots: 16, databaseCores: 4), team)
        #expect(few.waitingMax > 100)
        #expect(few.firstToken.median > 10)
        let crowd = Team(people: 10_000, readers: 200)
        let one = figures(Site(nodes: 1, engines: 80, slots: 16, databaseCores: 4), crowd)
        #expect(one.busiestNodeProcessors > 0.95)
        #expect(one.nodeDelay.median > 1)
    }
}
