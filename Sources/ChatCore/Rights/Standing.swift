// What is known of an asker when a permission is decided: facts, read where the change is made.

public import ChatProtocol

/// What a user is in one conversation.
public struct Standing: Sendable, Hashable {
    /// The role that they were given; nil where they are no member.
    public var role: Role?
    /// The team that the conversation belongs to, as they stand in it.
    public var team: Membership
    /// Whether the account may do nothing at present.
    public var isDisabled: Bool

    /// How somebody stands to a conversation's team.
    public enum Membership: Sendable, Hashable {
        /// The conversation belongs to no team.
        case noTeam
        /// They are not in the team.
        case outsider
        /// They are in it.
        case member(TeamRole)
    }

    /// Puts a standing together.
    public init(role: Role?, team: Membership = .noTeam, isDisabled: Bool = false) {
        self.role = role
        self.team = team
        self.isDisabled = isDisabled
    }

    /// The role that counts: a team's viewers write nowhere in it, and whoever left it sees nothing.
    public var effectiveRole: Role? {
        guard !isDisabled, let role else { return nil }
        switch team {
        case .outsider: return nil
        case .member(.viewer): return .viewer
        case .noTeam, .member: return role
        }
    }
}

/// By what somebody is known on a connection.
public struct Credential: Sendable, Hashable {
    /// All scopes, which sign-ins share.
    public static let allScopes = Set(Scope.allCases)

    /// What may be asked with it: all for a sign-in, less for a key.
    public var scopes: Set<Scope>
    /// Whether its user administers the server.
    public var isAdministrator: Bool

    /// Puts a credential together.
    public init(scopes: Set<Scope> = allScopes, isAdministrator: Bool) {
        self.scopes = scopes
        self.isAdministrator = isAdministrator
    }
}
