/// What somebody may do in a team.
public enum TeamRole: String, Codable, Hashable, Sendable, CaseIterable {
    /// Everything, other owners included.
    case owner
    /// Members, prompts, limits and records.
    case admin
    /// Begin and join conversations.
    case member
    /// Read what they are shown.
    case viewer
}

/// A team: people who share conversations, prompts and a budget.
public struct Team: Codable, Hashable, Sendable {
    /// Which.
    public var id: TeamID
    /// What it is called.
    public var name: String
    /// What the reader is in it.
    public var role: TeamRole?

    /// Puts a team together.
    public init(id: TeamID, name: String, role: TeamRole? = nil) {
        self.id = id
        self.name = name
        self.role = role
    }
}
