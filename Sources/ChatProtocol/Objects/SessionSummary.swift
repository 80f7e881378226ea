/// A sign-in, as its user sees it among their devices.
public struct SessionSummary: Codable, Hashable, Sendable {
    /// Which.
    public var id: SessionID
    /// What the client called itself when it signed in.
    public var device: String
    /// When it began.
    public var createdAt: Timestamp
    /// When something was asked by it last, to the minute.
    public var lastUsedAt: Timestamp
    /// When it ends, unless it is used before.
    public var expiresAt: Timestamp
    /// True for the one that asks.
    public var current: Bool?

    /// Puts a summary together.
    public init(
        id: SessionID,
        device: String,
        createdAt: Timestamp,
        lastUsedAt: Timestamp,
        expiresAt: Timestamp,
        current: Bool? = nil
    ) {
        self.id = id
        self.device = device
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
        self.expiresAt = expiresAt
        self.current = current
    }

    enum CodingKeys: String, CodingKey {
        case id, device, current
        case createdAt = "created_at"
        case lastUsedAt = "last_used_at"
        case expiresAt = "expires_at"
    }
}
