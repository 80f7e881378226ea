// The facts about an asker that decide a permission, read in the transaction of the change.

public import ChatProtocol

/// A user's standing in one conversation.
public struct Standing: Sendable, Hashable {
    /// The role that they were given; nil if they are no member.
    public var role: Role?
    /// Their membership in the conversation's team.
    public var team: Membership
    /// Whether the account is disabled.
    public var isDisabled: Bool

    /// A user's membership in a conversation's team.
    public enum Membership: Sendable, Hashable {
        /// The conversation belongs to no team.
        case noTeam
        /// The user is not in the team.
        case outsider
        /// The user is in the team.
        case member(TeamRole)
    }

    /// Creates a standing.
    public init(role: Role?, team: Membership = .noTeam, isDisabled: Bool = false) {
        self.role = role
        self.team = team
        self.isDisabled = isDisabled
    }

    /// The role that counts: team viewers cannot write in its conversations, and who has left the
    /// team sees nothing.
    public var effectiveRole: Role? {
        guard !isDisabled, let role else { return nil }
        switch team {
        case .outsider: return nil
        case .member(.viewer): return .viewer
        case .noTeam, .member: return role
        }
    }
}

/// The credential by which a connection is authenticated.
public struct Credential: Sendable, Hashable {
    /// All scopes, which every sign-in has.
    public static let allScopes = Set(Scope.allCases)

    /// What it permits: everything for a sign-in, less for an API key.
    public var scopes: Set<Scope>
    /// Whether its user is an administrator of the server.
    public var isAdministrator: Bool

    /// Creates a credential.
    public init(scopes: Set<Scope> = allScopes, isAdministrator: Bool) {
        self.scopes = scopes
        self.isAdministrator = isAdministrator
    }
}
