// Operations on the user's own account: sign-ins, password, API keys.

extension Operation {
    /// Lists the user's sign-ins.
    public static var sessionList: Operation<EmptyRequest, SessionListReply> {
        .init(
            "session.list",
            requires: .signedIn,
            scope: .account,
            replies: "`{sessions}`: the user's sign-ins, last used first",
            examples: [EmptyRequest()]
        )
    }

    /// Ends one of the user's sign-ins.
    public static var sessionRevoke: Operation<SessionRevokeRequest, EmptyReply> {
        .init(
            "session.revoke",
            requires: .signedIn,
            scope: .account,
            takes: "`session`",
            replies: "`{}`; ends one of the user's sign-ins, and closes its connections with 4101",
            examples: [SessionRevokeRequest(session: .example(5))]
        )
    }

    /// Ends all of the user's sign-ins but the requesting one.
    public static var sessionRevokeOthers: Operation<EmptyRequest, SessionRevokeOthersReply> {
        .init(
            "session.revoke_others",
            requires: .signedIn,
            scope: .account,
            replies: "`{ended}`: how many; ends all of the user's sign-ins but this one",
            examples: [EmptyRequest()]
        )
    }

    /// Changes the user's password.
    public static var accountPassword: Operation<AccountPasswordRequest, EmptyReply> {
        .init(
            "account.password",
            requires: .signedIn,
            scope: .account,
            takes: "`old`, `new` (8 to 1024 bytes)",
            replies: "`{}`; ends all other sign-ins of the user",
            examples: [AccountPasswordRequest(old: "correct horse", new: "battery staple")]
        )
    }

    /// Deletes the user's account permanently.
    public static var accountDelete: Operation<AccountDeleteRequest, EmptyReply> {
        .init(
            "account.delete",
            requires: .signedIn,
            scope: .account,
            takes: """
                `password?` (needed where the account has one; else the sign-in must be younger \
                than ten minutes)
                """,
            replies: "`{}`, and then the connection is closed with 4101; as `user.delete`",
            examples: [AccountDeleteRequest(password: "correct horse")]
        )
    }

    /// Creates an API key.
    public static var keyCreate: Operation<KeyCreateRequest, KeyCreateReply> {
        .init(
            "key.create",
            requires: .signedIn,
            scope: .account,
            takes: """
                `name` (1 to 100 characters), `scopes`, `expires_in?` (seconds; without: until it \
                is revoked)
                """,
            replies: "`{key, secret}`; the secret is shown once",
            examples: [KeyCreateRequest(name: "backup", scopes: [.read], expiresIn: 86_400)]
        )
    }

    /// Lists the user's API keys.
    public static var keyList: Operation<EmptyRequest, KeyListReply> {
        .init(
            "key.list",
            requires: .signedIn,
            scope: .account,
            replies: "`{keys}`: the user's, newest first",
            examples: [EmptyRequest()]
        )
    }

    /// Revokes one of the user's API keys.
    public static var keyRevoke: Operation<KeyRevokeRequest, EmptyReply> {
        .init(
            "key.revoke",
            requires: .signedIn,
            scope: .account,
            takes: "`key`",
            replies: "`{}`; ends one of the user's keys, and closes its connections with 4101",
            examples: [KeyRevokeRequest(key: .example(6))]
        )
    }
}

extension OperationDefinition {
    static let account: [OperationDefinition] = [
        .init(.sessionList),
        .init(.sessionRevoke),
        .init(.sessionRevokeOthers),
        .init(.accountPassword),
        .init(.accountDelete),
        .init(.keyCreate),
        .init(.keyList),
        .init(.keyRevoke),
    ]
}

// MARK: Requests and replies

/// `account.delete`: deletes the user's own account.
public struct AccountDeleteRequest: Codable, Sendable {
    /// The account's password; absent if it has none.
    public var password: String?

    /// Creates a request.
    public init(password: String? = nil) {
        self.password = password
    }
}

/// `session.revoke`: ends one of the user's sign-ins.
public struct SessionRevokeRequest: Codable, Sendable {
    /// The sign-in.
    public var session: SessionID

    /// Creates a request.
    public init(session: SessionID) {
        self.session = session
    }
}

/// The reply of `session.list`.
public struct SessionListReply: Codable, Sendable {
    /// The user's sign-ins, most recently used first.
    public var sessions: [SessionSummary]

    /// Creates a reply.
    public init(sessions: [SessionSummary]) {
        self.sessions = sessions
    }
}

/// The reply of `session.revoke_others`.
public struct SessionRevokeOthersReply: Codable, Sendable {
    /// Number of sign-ins that ended.
    public var ended: Int

    /// Creates a reply.
    public init(ended: Int) {
        self.ended = ended
    }
}

/// `account.password`: changes the user's password.
public struct AccountPasswordRequest: Codable, Sendable {
    /// The current password.
    public var old: String
    /// The new password.
    public var new: String

    /// Creates a request.
    public init(old: String, new: String) {
        self.old = old
        self.new = new
    }
}

/// `key.create`: creates an API key.
public struct KeyCreateRequest: Codable, Sendable {
    /// Its name.
    public var name: String
    /// Its scopes: at most those of the requesting credential.
    public var scopes: [Scope]
    /// Lifetime in seconds; absent for no expiry.
    public var expiresIn: Int?

    /// Creates a request.
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
    /// The bearer token; only this reply has it.
    public var secret: String

    /// Creates a reply.
    public init(key: APIKey, secret: String) {
        self.key = key
        self.secret = secret
    }
}

/// The reply of `key.list`.
public struct KeyListReply: Codable, Sendable {
    /// The user's keys, newest first.
    public var keys: [APIKey]

    /// Creates a reply.
    public init(keys: [APIKey]) {
        self.keys = keys
    }
}

/// `key.revoke`: revokes one of the user's keys.
public struct KeyRevokeRequest: Codable, Sendable {
    /// The key.
    public var key: KeyID

    /// Creates a request.
    public init(key: KeyID) {
        self.key = key
    }
}
