// What each user and each team has running, and whether one more is within the limits.

import ChatProtocol
import FoundationEssentials

/// The runs and tokens that each user and each team has running.
struct RunningLoads: Sendable {
    /// What one user or one team has running.
    struct Load: Sendable {
        var runs = 0
        var tokens = 0
    }

    private var users: [UserID: Load] = [:]
    private var teams: [UUID: Load] = [:]

    /// Counts a run that starts (`count` 1) or ends (-1).
    mutating func change(_ run: QueuedAnswer, by count: Int) {
        users[run.user] = (users[run.user] ?? Load()).changed(run, by: count)
        // Users without a team have no limit together.
        guard let team = run.team else { return }
        teams[team] = (teams[team] ?? Load()).changed(run, by: count)
    }

    /// Whether one more run is within its user's and its team's limits.
    func allow(_ run: QueuedAnswer, within limits: FairQueue.Limits) -> Bool {
        var isHeldBack = false
        return team(run.team, hasRoomWithin: limits, &isHeldBack)
            && user(of: run, hasRoomWithin: limits, &isHeldBack)
    }

    /// Whether a team may have one more run; if not, `isHeldBack` becomes true.
    func team(
        _ team: UUID?,
        hasRoomWithin limits: FairQueue.Limits,
        _ isHeldBack: inout Bool
    ) -> Bool {
        guard let team, let load = teams[team] else { return true }
        if load.runs < limits.runningPerTeam { return true }
        isHeldBack = true
        return false
    }

    /// Whether a run's user may have it running too; if not, `isHeldBack` becomes true.
    func user(
        of run: QueuedAnswer,
        hasRoomWithin limits: FairQueue.Limits,
        _ isHeldBack: inout Bool
    ) -> Bool {
        guard let load = users[run.user] else { return true }
        if load.runs < limits.runningPerUser,
            load.tokens + run.tokens <= limits.runningTokensPerUser
        {
            return true
        }
        isHeldBack = true
        return false
    }
}

extension RunningLoads.Load {
    /// The load with `count` more of `run`; nil if nothing is left.
    fileprivate func changed(_ run: QueuedAnswer, by count: Int) -> RunningLoads.Load? {
        let load = RunningLoads.Load(runs: runs + count, tokens: tokens + count * run.tokens)
        return load.runs > 0 ? load : nil
    }
}

extension FairQueue.Limits {
    /// The limits in the order in which a free slot tries them: all of them, those of users, none.
    var stricterFirst: [FairQueue.Limits] {
        var ofUsers = self
        ofUsers.runningPerTeam = .max
        return [self, ofUsers, FairQueue.Limits()]
    }
}
