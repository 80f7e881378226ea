/// A sign-in, as its user sees it in the list of devices.
public struct SessionSummary: Codable, Hashable, Sendable {
    /// The session's id.
    public var id: SessionID
    /// The device name that the client gave when it signed in.
    public var device: String
    /// When the user signed in.
    public var createdAt: Timestamp
    /// When it was last used, to the minute.
    public var lastUsedAt: Timestamp
    /// When it expires, unless it is used before.
    public var expiresAt: Timestamp
    /// True for the session of the request.
    public var current: Bool?

    /// Creates a summary.
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
