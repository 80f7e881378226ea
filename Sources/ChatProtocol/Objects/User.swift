/// A person, as other members see them.
public struct User: Codable, Hashable, Sendable {
    /// Who.
    public var id: UserID
    /// The name they sign in with.
    public var name: String
    /// Whether they administer the server; said of oneself only.
    public var isAdmin: Bool?

    /// Puts a user together.
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
