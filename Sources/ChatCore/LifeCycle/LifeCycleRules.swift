// What is due when: deletion of what has been idle or temporary for long enough, and purging of what was
// deleted. Who acts on it passes the time in.

public import ChatProtocol

/// What decides about a conversation's end.
public struct LifeCycleFacts: Sendable, Hashable {
    /// When something happened in it last.
    public var lastActivity: Timestamp
    /// When it was deleted; nil where it is not.
    public var deletedAt: Timestamp?
    /// When it ends, where it is temporary.
    public var expiresAt: Timestamp?
    /// Days without activity after which its team's conversations are deleted; nil for never.
    public var retentionDays: Int?
    /// Whether it is on legal hold.
    public var isHeld: Bool

    /// Puts facts together.
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
        /// It was temporary, and its time is over: it is deleted.
        case expiry
        /// Nothing has happened in it for as long as its team keeps such: it is deleted.
        case retirement
        /// It was deleted long enough ago: it is purged.
        case purge
    }

    /// For how many days what was deleted can be brought back.
    public var undoDays: Int

    /// - Parameter undoDays: for how many days what was deleted can be brought back.
    public init(undoDays: Int) {
        self.undoDays = undoDays
    }

    /// What is due for a conversation. A hold wins over everything.
    /// - Parameters:
    ///   - facts: what is known of it.
    ///   - now: the time.
    /// - Returns: what is due.
    public func due(_ facts: LifeCycleFacts, at now: Timestamp) -> Due {
        if facts.isHeld { return .nothing }
        if let purge = purgeTime(of: facts) { return purge <= now ? .purge : .nothing }
        if let expiresAt = facts.expiresAt, expiresAt <= now { return .expiry }
        guard let days = facts.retentionDays else { return .nothing }
        return facts.lastActivity.adding(days: days) <= now ? .retirement : .nothing
    }

    /// From when on a deleted conversation may be purged: after the days for changing one's mind; a
    /// temporary one as soon as its time is over.
    /// - Parameter facts: what is known of it.
    /// - Returns: the time; nil where it is not deleted, or held.
    public func purgeTime(of facts: LifeCycleFacts) -> Timestamp? {
        guard let deletedAt = facts.deletedAt, !facts.isHeld else { return nil }
        let end = deletedAt.adding(days: undoDays)
        guard let expiresAt = facts.expiresAt else { return end }
        return min(end, max(expiresAt, deletedAt))
    }

    /// What was deleted until then may be purged now.
    /// - Parameter now: the time.
    /// - Returns: the last moment of such deletions.
    public func purgeCutoff(at now: Timestamp) -> Timestamp { now.adding(days: -undoDays) }
}

extension Timestamp {
    /// So many days of 24 hours later.
    fileprivate func adding(days: Int) -> Timestamp {
        Timestamp(milliseconds: milliseconds + Int64(days) * 24 * 60 * 60 * 1000)
    }
}
