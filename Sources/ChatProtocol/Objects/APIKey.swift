/// An API key, as its owner sees it: never its secret.
public struct APIKey: Codable, Hashable, Sendable {
    /// The key's id.
    public var id: KeyID
    /// The name that its owner gave it.
    public var name: String
    /// What it permits.
    public var scopes: [Scope]
    /// When it was created.
    public var createdAt: Timestamp
    /// When it was last used, to the minute; nil for never.
    public var lastUsedAt: Timestamp?
    /// When it expires; nil for never.
    public var expiresAt: Timestamp?

    /// Creates a key.
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
