/// A user, as other members see them.
public struct User: Codable, Hashable, Sendable {
    /// The user's id.
    public var id: UserID
    /// The user name.
    public var name: String
    /// Whether they are an administrator of the server; only present for the reader's own account.
    public var isAdmin: Bool?

    /// Creates a user.
    public init(id: UserID, name: String, isAdmin: Bool? = nil) {
        self.id = id
        self.name = name
        self.isAdmin = isAdmin
    }

    enum CodingKeys: String, CodingKey {
        case id, name
        case isAdmin = "admin"
    }
}
