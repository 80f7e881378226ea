// Events about teams in users' lists. They are numbered by the same counter as events about
// conversations.

/// `team.changed`: the reader joined a team, or its name, members, roles or retention changed.
public struct TeamChanged: Codable, Sendable {
    /// The team's current state as the reader sees it.
    public var team: Team
    /// The change's number in the reader's list.
    public var u: Int64
    /// The number sent before it, as in `conversation.listed`.
    public var after: Int64

    /// Creates an event.
    public init(team: Team, u: Int64, after: Int64) {
        self.team = team
        self.u = u
        self.after = after
    }
}

/// `team.left`: the reader is no longer in a team, or it was deleted.
public struct TeamLeft: Codable, Sendable {
    /// The team.
    public var team: TeamID
    /// The change's number in the reader's list.
    public var u: Int64
    /// The number sent before it, as in `conversation.listed`.
    public var after: Int64

    /// Creates an event.
    public init(team: TeamID, u: Int64, after: Int64) {
        self.team = team
        self.u = u
        self.after = after
    }
}
