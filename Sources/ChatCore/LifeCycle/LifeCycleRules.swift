// When conversations are due: idle and expired temporary ones for deletion, deleted ones for
// purging. The caller passes the time.

public import ChatProtocol

/// The facts that decide when a conversation ends.
public struct LifeCycleFacts: Sendable, Hashable {
    /// The last activity in it.
    public var lastActivity: Timestamp
    /// When it was deleted; nil if it is not.
    public var deletedAt: Timestamp?
    /// When it expires, if it is temporary.
    public var expiresAt: Timestamp?
    /// Days without activity after which its team's conversations are deleted; nil for never.
    public var retentionDays: Int?
    /// Whether it is on legal hold.
    public var isHeld: Bool

    /// Creates the facts.
    public init(
        lastActivity: Timestamp,
        deletedAt: Timestamp? = nil,
        expiresAt: Timestamp? = nil,
        retentionDays: Int? = nil,
        isHeld: Bool = false
    ) {
        self.lastActivity = lastActivity
        self.deletedAt = deletedAt
        self.expiresAt = expiresAt
        self.retentionDays = retentionDays
        self.isHeld = isHeld
    }
}

/// The rules of one server.
public struct LifeCycleRules: Sendable, Hashable {
    /// What is due.
    public enum Due: Sendable, Hashable {
        /// Nothing.
        case nothing
        /// It was temporary and has expired: delete it.
        case expiry
        /// It was idle for longer than its team's retention: delete it.
        case retirement
        /// It was deleted long enough ago: purge it.
        case purge
    }

    /// Days for which a deletion can be undone.
    public var undoDays: Int

    /// - Parameter undoDays: days for which a deletion can be undone.
    public init(undoDays: Int) {
        self.undoDays = undoDays
    }

    /// What is due for a conversation. A legal hold overrides everything.
    /// - Parameters:
    ///   - facts: the facts about it.
    ///   - now: the current time.
    /// - Returns: what is due.
    public func due(_ facts: LifeCycleFacts, at now: Timestamp) -> Due {
        if facts.isHeld { return .nothing }
        if let purge = purgeTime(of: facts) { return purge <= now ? .purge : .nothing }
        if let expiresAt = facts.expiresAt, expiresAt <= now { return .expiry }
        guard let days = facts.retentionDays else { return .nothing }
        return facts.lastActivity.adding(days: days) <= now ? .retirement : .nothing
    }

    /// The earliest time to purge a deleted conversation: after the days for undo; for a temporary
    /// one, its expiry.
    /// - Parameter facts: the facts about it.
    /// - Returns: the time; nil if it is not deleted, or on hold.
    public func purgeTime(of facts: LifeCycleFacts) -> Timestamp? {
        guard let deletedAt = facts.deletedAt, !facts.isHeld else { return nil }
        let end = deletedAt.adding(days: undoDays)
        guard let expiresAt = facts.expiresAt else { return end }
        return min(end, max(expiresAt, deletedAt))
    }

    /// Conversations deleted until then may be purged now.
    /// - Parameter now: the current time.
    /// - Returns: the latest such time of deletion.
    public func purgeCutoff(at now: Timestamp) -> Timestamp { now.adding(days: -undoDays) }
}

extension Timestamp {
    /// This time plus some days of 24 hours.
    fileprivate func adding(days: Int) -> Timestamp {
        Timestamp(milliseconds: milliseconds + Int64(days) * 24 * 60 * 60 * 1000)
    }
}
