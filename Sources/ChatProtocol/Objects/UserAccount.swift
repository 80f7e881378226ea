/// An account, as administrators see it.
public struct UserAccount: Codable, Hashable, Sendable {
    /// Whose.
    public var id: UserID
    /// The name they sign in with.
    public var name: String
    /// Whether they administer the server.
    public var isAdmin: Bool
    /// Whether the account may do nothing at present.
    public var isDisabled: Bool
    /// When it was made.
    public var createdAt: Timestamp
    /// When something was asked by one of its sign-ins last, to the minute; absent where it has none.
    public var seenAt: Timestamp?
    /// How many sign-ins it has that are valid.
    public var sessions: Int

    /// Puts an account together.
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
