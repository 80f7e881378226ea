// The fewest boxes on which a team's load keeps the goals.

/// Boxes for a team.
public struct SitePlan: Equatable, Sendable {
    /// Why there is no plan.
    public enum Failure: Error, Equatable {
        /// One answer alone gets fewer tokens a second than wanted. Another engine or a lower goal is
        /// needed.
        case engineTooSlow(tokensPerSecond: Double)
        /// Even with many engines the first token takes longer: reading the prompt alone takes so many
        /// seconds. A faster engine, a shorter prompt or another goal is needed.
        case firstTokenTooLate(seconds: Double)
        /// More nodes do not help, because each has readers of too many answers. Fewer readers of a
        /// conversation, or a faster processor, are needed.
        case tooManyReaders
    }

    /// The boxes.
    public let site: Site
    /// What happens on them.
    public let forecast: SiteForecast
    /// The part that ends first when the team grows.
    public let bottleneck: SitePart

    /// Engines at most: more would be another kind of site.
    private static let enginesMax = 1 << 14

    /// Finds the fewest boxes. More people never need fewer of any kind.
    /// - Parameters:
    ///   - team: who asks how much.
    ///   - costs: what it costs.
    ///   - goals: what to keep.
    /// - Throws: `Failure` if no number of boxes keeps the goals.
    public init(team: Team, costs: SiteCosts, goals: SiteGoals = SiteGoals()) throws(Failure) {
        let slots = costs.engine.slots(tokensPerSecond: goals.tokensPerSecond)
        guard slots > 0 else {
            throw .engineTooSlow(
                tokensPerSecond: 1 / costs.engine.stepSeconds(answers: 1)
            )
        }
        var site = Site(nodes: 1, engines: 1, slots: slots, databaseCores: 1)
        site.engines = try Self.engines(site, team, costs, goals)
        site.nodes = try Self.nodes(site, team, costs, goals)
        let used = SiteForecast(site, team: team, costs: costs).databaseProcessors
        site.databaseCores = max(1, Int((used / goals.utilization).rounded(.up)))
        self.site = site
        forecast = SiteForecast(site, team: team, costs: costs)
        bottleneck = forecast.bottleneck(site, goals: goals)
    }

    /// The fewest engines whose queue keeps the goals; found by halving, since more are always better.
    private static func engines(
        _ site: Site,
        _ team: Team,
        _ costs: SiteCosts,
        _ goals: SiteGoals
    ) throws(Failure) -> Int {
        func queue(_ engines: Int) -> EngineQueue {
            EngineQueue(
                speed: costs.engine,
                engines: engines,
                slots: site.slots,
                load: EngineQueue.Load(
                    turnsPerSecond: team.turnsPerSecond,
                    promptTokens: team.unreadTokens,
                    answerTokens: team.answerTokens,
                    answerVariation: team.answerVariation
                )
            )
        }
        func keeps(_ engines: Int) -> Bool {
            let queue = queue(engines)
            let first = costs.node.firstToken + queue.readSeconds + queue.meanWait
            return queue.utilization <= goals.utilization && first <= goals.firstToken
        }
        var enough = 1
        while !keeps(enough) {
            enough *= 2
            guard enough <= enginesMax else {
                throw .firstTokenTooLate(seconds: queue(enginesMax).readSeconds)
            }
        }
        var tooFew = enough / 2
        while enough - tooFew > 1 {
            let middle = (enough + tooFew) / 2
            if keeps(middle) { enough = middle } else { tooFew = middle }
        }
        return enough
    }

    private static func nodes(
        _ site: Site,
        _ team: Team,
        _ costs: SiteCosts,
        _ goals: SiteGoals
    ) throws(Failure) -> Int {
        var site = site
        for nodes in 1...max(1, goals.nodesMax) {
            site.nodes = nodes
            let forecast = SiteForecast(site, team: team, costs: costs)
            if forecast.nodeProcessors <= goals.utilization,
                forecast.connectionsPerNode <= goals.connectionsPerNode
            {
                return nodes
            }
        }
        throw .tooManyReaders
    }
}
