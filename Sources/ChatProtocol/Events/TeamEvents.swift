// What users' lists tell of teams. They bear numbers of the same counter as what is told of conversations.

/// `team.changed`: the reader came into a team, or it changed: its name, who is in it and as what, or
/// how long it keeps conversations.
public struct TeamChanged: Codable, Sendable {
    /// The team as the reader sees it now.
    public var team: Team
    /// The change's number in the reader's list.
    public var u: Int64
    /// The number told before it, as in `conversation.listed`.
    public var after: Int64

    /// Puts an event together.
    public init(team: Team, u: Int64, after: Int64) {
        self.team = team
        self.u = u
        self.after = after
    }
}

/// `team.left`: the reader is in a team no longer, or it is gone.
public struct TeamLeft: Codable, Sendable {
    /// Which.
    public var team: TeamID
    /// The change's number in the reader's list.
    public var u: Int64
    /// The number told before it, as in `conversation.listed`.
    public var after: Int64

    /// Puts an event together.
    public init(team: TeamID, u: Int64, after: Int64) {
        self.team = team
        self.u = u
        self.after = after
    }
}
