import ChatCore
import ChatProtocol
import Testing

@Suite("Life cycle rules")
struct LifeCycleRulesTests {
    private static let day: Int64 = 24 * 60 * 60 * 1000
    private static func at(_ day: Int64) -> Timestamp { Timestamp(milliseconds: day * Self.day) }

    private static func facts(
        idleSince activity: Int64 = 0,
        deleted: Int64? = nil,
        expires: Int64? = nil,
        retention: Int? = nil,
        isHeld: Bool = false
    ) -> LifeCycleFacts {
        LifeCycleFacts(
            lastActivity: at(activity),
            deletedAt: deleted.map(at),
            expiresAt: expires.map(at),
            retentionDays: retention,
            isHeld: isHeld
        )
    }

    @Test(
        "the number of days decides, and a legal hold overrides it",
        arguments: [
            (facts(), 10_000, .nothing),
            (facts(deleted: 5), 34, .nothing),
            (facts(deleted: 5), 35, .purge),
            (facts(deleted: 5, isHeld: true), 10_000, .nothing),
            (facts(expires: 7), 6, .nothing),
            (facts(expires: 7), 7, .expiry),
            (facts(expires: 7, isHeld: true), 7, .nothing),
            (facts(deleted: 7, expires: 7), 7, .purge),
            (facts(deleted: 8, expires: 7), 8, .purge),
            // Deleted by a user before it expired.
            (facts(deleted: 3, expires: 7), 6, .nothing),
            (facts(deleted: 3, expires: 7), 7, .purge),
            (facts(deleted: 3, expires: 300), 33, .purge),
            (facts(idleSince: 10, retention: 90), 99, .nothing),
            (facts(idleSince: 10, retention: 90), 100, .retirement),
            (facts(idleSince: 10, retention: 90, isHeld: true), 100, .nothing),
            (facts(idleSince: 10, deleted: 100, retention: 90), 129, .nothing),
            (facts(idleSince: 10, deleted: 100, retention: 90), 130, .purge),
            (facts(idleSince: 10, expires: 50, retention: 90), 100, .expiry),
        ] as [(LifeCycleFacts, Int64, LifeCycleRules.Due)]
    )
    func due(facts: LifeCycleFacts, today: Int64, due: LifeCycleRules.Due) {
        let rules = LifeCycleRules(undoDays: 30)
        #expect(rules.due(facts, at: Self.at(today)) == due)
    }

    @Test("a deleted conversation has a purge time, unless it is on hold")
    func purgeTimes() {
        let rules = LifeCycleRules(undoDays: 30)
        #expect(rules.purgeTime(of: Self.facts(deleted: 5)) == Self.at(35))
        #expect(rules.purgeTime(of: Self.facts(deleted: 5, isHeld: true)) == nil)
        #expect(rules.purgeTime(of: Self.facts()) == nil)
        #expect(rules.purgeCutoff(at: Self.at(35)) == Self.at(5))
        let none = LifeCycleRules(undoDays: 0)
        #expect(none.due(Self.facts(deleted: 5), at: Self.at(5)) == .purge)
    }
}
