/// A key by which a program is let in, as its owner sees it: never its secret.
public struct APIKey: Codable, Hashable, Sendable {
    /// Which.
    public var id: KeyID
    /// What its owner calls it.
    public var name: String
    /// What it is good for.
    public var scopes: [Scope]
    /// When it was made.
    public var createdAt: Timestamp
    /// When something was asked by it last, to the minute; nil for never.
    public var lastUsedAt: Timestamp?
    /// When it ends; nil for not by itself.
    public var expiresAt: Timestamp?

    /// Puts a key together.
    public init(
        id: KeyID,
        name: String,
        scopes: [Scope],
        createdAt: Timestamp,
        lastUsedAt: Timestamp? = nil,
        expiresAt: Timestamp? = nil
    ) {
        self.id = id
        self.name = name
        self.scopes = scopes
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
        self.expiresAt = expiresAt
    }

    enum CodingKeys: String, CodingKey {
        case id, name, scopes
        case createdAt = "created_at"
        case lastUsedAt = "last_used_at"
        case expiresAt = "expires_at"
    }
}

/// A key's identifier.
public typealias KeyID = ID<APIKey>
