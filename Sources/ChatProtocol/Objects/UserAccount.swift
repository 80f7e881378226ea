/// An account, as administrators see it.
public struct UserAccount: Codable, Hashable, Sendable {
    /// The user's id.
    public var id: UserID
    /// The user name.
    public var name: String
    /// Whether they are an administrator of the server.
    public var isAdmin: Bool
    /// Whether the account is disabled.
    public var isDisabled: Bool
    /// When it was created.
    public var createdAt: Timestamp
    /// When one of its sign-ins was last used, to the minute; absent if it has none.
    public var seenAt: Timestamp?
    /// Number of its valid sign-ins.
    public var sessions: Int

    /// Creates an account.
    public init(
        id: UserID,
        name: String,
        isAdmin: Bool,
        isDisabled: Bool,
        createdAt: Timestamp,
        seenAt: Timestamp? = nil,
        sessions: Int
    ) {
        self.id = id
        self.name = name
        self.isAdmin = isAdmin
        self.isDisabled = isDisabled
        self.createdAt = createdAt
        self.seenAt = seenAt
        self.sessions = sessions
    }

    enum CodingKeys: String, CodingKey {
        case id, name, sessions
        case isAdmin = "admin"
        case isDisabled = "disabled"
        case createdAt = "created_at"
        case seenAt = "seen_at"
    }
}
