// What operations on one's own account take and answer.

/// `session.revoke`: ends one of the asker's sign-ins.
public struct SessionRevokeRequest: Codable, Sendable {
    /// Which.
    public var session: SessionID

    /// Puts a request together.
    public init(session: SessionID) {
        self.session = session
    }
}

/// The reply of `session.list`.
public struct SessionListReply: Codable, Sendable {
    /// The asker's sign-ins, the one that was used last first.
    public var sessions: [SessionSummary]

    /// Puts a reply together.
    public init(sessions: [SessionSummary]) {
        self.sessions = sessions
    }
}

/// The reply of `session.revoke_others`.
public struct SessionRevokeOthersReply: Codable, Sendable {
    /// How many sign-ins ended.
    public var ended: Int

    /// Puts a reply together.
    public init(ended: Int) {
        self.ended = ended
    }
}

/// `account.password`: changes the asker's password.
public struct AccountPasswordRequest: Codable, Sendable {
    /// The password until now.
    public var old: String
    /// The password from now on.
    public var new: String

    /// Puts a request together.
    public init(old: String, new: String) {
        self.old = old
        self.new = new
    }
}

/// `key.create`: makes an API key.
public struct KeyCreateRequest: Codable, Sendable {
    /// What to call it.
    public var name: String
    /// What it shall be good for; no more than what the asker is let in by.
    public var scopes: [Scope]
    /// For how many seconds; until it is revoked without them.
    public var expiresIn: Int?

    /// Puts a request together.
    public init(name: String, scopes: [Scope], expiresIn: Int? = nil) {
        self.name = name
        self.scopes = scopes
        self.expiresIn = expiresIn
    }

    enum CodingKeys: String, CodingKey {
        case name, scopes
        case expiresIn = "expires_in"
    }
}

/// The reply of `key.create`.
public struct KeyCreateReply: Codable, Sendable {
    /// The key.
    public var key: APIKey
    /// The bearer token: told this once.
    public var secret: String

    /// Puts a reply together.
    public init(key: APIKey, secret: String) {
        self.key = key
        self.secret = secret
    }
}

/// The reply of `key.list`.
public struct KeyListReply: Codable, Sendable {
    /// The asker's keys, the newest first.
    public var keys: [APIKey]

    /// Puts a reply together.
    public init(keys: [APIKey]) {
        self.keys = keys
    }
}

/// `key.revoke`: ends one of the asker's keys.
public struct KeyRevokeRequest: Codable, Sendable {
    /// Which.
    public var key: KeyID

    /// Puts a request together.
    public init(key: KeyID) {
        self.key = key
    }
}
