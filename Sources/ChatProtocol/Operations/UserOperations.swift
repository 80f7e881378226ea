// Operations on other people's accounts, for administrators.

extension Operation {
    /// Lists all accounts.
    public static var userList: Operation<UserListRequest, UserListReply> {
        .init(
            "user.list",
            requires: .server(.manageUsers),
            scope: .administer,
            takes: "`cursor?`, `limit?` (1-200, default 50), `query?` (part of a name)",
            replies: "`{users, cursor?}`, in the order of their names",
            examples: [UserListRequest(cursor: "ann", limit: 50, query: "an")]
        )
    }

    /// Creates an account without a password, and a link that sets it.
    public static var userCreate: Operation<UserCreateRequest, UserLinkReply> {
        .init(
            "user.create",
            requires: .server(.manageUsers),
            scope: .administer,
            takes: "`name`, `admin?`",
            replies: """
                `{user, link, expires_at}`: an account without a password, and the link that sets \
                it, once
                """,
            examples: [UserCreateRequest(name: "ann", isAdmin: false)]
        )
    }

    /// Grants or revokes administrator rights, and disables or enables an account.
    public static var userUpdate: Operation<UserUpdateRequest, UserReply> {
        .init(
            "user.update",
            requires: .server(.manageUsers),
            scope: .administer,
            takes: "`user`, `admin?`, `disabled?`",
            replies: "`{user}`; never the last administrator: `forbidden`; idempotent",
            examples: [
                UserUpdateRequest(user: .example(11), isAdmin: true, isDisabled: false)
            ]
        )
    }

    /// Lists a user's sign-ins.
    public static var userSessions: Operation<UserRequest, SessionListReply> {
        .init(
            "user.sessions",
            requires: .server(.manageUsers),
            scope: .administer,
            takes: "`user`",
            replies: "`{sessions}`, as `session.list`",
            examples: [UserRequest(user: .example(11))]
        )
    }

    /// Ends one or all of a user's sign-ins.
    public static var userSessionsRevoke:
        Operation<UserSessionsRevokeRequest, SessionRevokeOthersReply>
    {
        .init(
            "user.sessions.revoke",
            requires: .server(.manageUsers),
            scope: .administer,
            takes: "`user`, `session?`",
            replies: "`{ended}`: how many; without `session` all",
            examples: [UserSessionsRevokeRequest(user: .example(11), session: .example(12))]
        )
    }

    /// Creates a link that sets a new password.
    public static var userReset: Operation<UserRequest, UserLinkReply> {
        .init(
            "user.reset",
            requires: .server(.manageUsers),
            scope: .administer,
            takes: "`user`",
            replies: """
                `{user, link, expires_at}`: a link that sets a new password, once; older ones end
                """,
            examples: [UserRequest(user: .example(11))]
        )
    }

    /// Deletes another user's account permanently.
    public static var userDelete: Operation<UserRequest, EmptyReply> {
        .init(
            "user.delete",
            requires: .server(.manageUsers),
            scope: .administer,
            takes: "`user` (somebody else)",
            replies: """
                `{}`; permanently: [what is erased](../use/life-cycle.md#accounts). Never the last \
                administrator, nor the only owner of a team that others are in: `forbidden`
                """,
            examples: [UserRequest(user: .example(11))]
        )
    }
}

extension OperationDefinition {
    static let users: [OperationDefinition] = [
        .init(.userList),
        .init(.userCreate),
        .init(.userUpdate),
        .init(.userSessions),
        .init(.userSessionsRevoke),
        .init(.userReset),
        .init(.userDelete),
    ]
}

// MARK: Requests and replies

/// `user.list`: pages of all accounts, in the order of their names.
public struct UserListRequest: Codable, Sendable {
    /// The cursor of the previous page's reply; nil for the first page.
    public var cursor: String?
    /// Maximum number of entries.
    public var limit: Int?
    /// Only names that contain this text; case is ignored.
    public var query: String?

    /// Creates a request.
    public init(cursor: String? = nil, limit: Int? = nil, query: String? = nil) {
        self.cursor = cursor
        self.limit = limit
        self.query = query
    }
}

/// The reply of `user.list`.
public struct UserListReply: Codable, Sendable {
    /// The page.
    public var users: [UserAccount]
    /// The cursor of the next page; nil if there is none.
    public var cursor: String?

    /// Creates a reply.
    public init(users: [UserAccount], cursor: String? = nil) {
        self.users = users
        self.cursor = cursor
    }
}

/// `user.create`: creates an account without a password, and a link that sets it.
public struct UserCreateRequest: Codable, Sendable {
    /// The name to sign in with.
    public var name: String
    /// Whether they are an administrator of the server.
    public var isAdmin: Bool?

    /// Creates a request.
    public init(name: String, isAdmin: Bool? = nil) {
        self.name = name
        self.isAdmin = isAdmin
    }

    enum CodingKeys: String, CodingKey {
        case name
        case isAdmin = "admin"
    }
}

/// `user.update`: changes an account's rights.
public struct UserUpdateRequest: Codable, Sendable {
    /// The user.
    public var user: UserID
    /// Whether they are an administrator of the server; unchanged if nil.
    public var isAdmin: Bool?
    /// Whether the account is disabled; unchanged if nil.
    public var isDisabled: Bool?

    /// Creates a request.
    public init(user: UserID, isAdmin: Bool? = nil, isDisabled: Bool? = nil) {
        self.user = user
        self.isAdmin = isAdmin
        self.isDisabled = isDisabled
    }

    enum CodingKeys: String, CodingKey {
        case user
        case isAdmin = "admin"
        case isDisabled = "disabled"
    }
}

/// The request of `user.sessions`, `user.reset` and `user.delete`: an account.
public struct UserRequest: Codable, Sendable {
    /// The user.
    public var user: UserID

    /// Creates a request.
    public init(user: UserID) {
        self.user = user
    }
}

/// `user.sessions.revoke`: ends one or all of a user's sign-ins.
public struct UserSessionsRevokeRequest: Codable, Sendable {
    /// The user.
    public var user: UserID
    /// The sign-in; nil for all.
    public var session: SessionID?

    /// Creates a request.
    public init(user: UserID, session: SessionID? = nil) {
        self.user = user
        self.session = session
    }
}

/// The reply of `user.update`, after the commit.
public struct UserReply: Codable, Sendable {
    /// The account in its current state.
    public var user: UserAccount

    /// Creates a reply.
    public init(user: UserAccount) {
        self.user = user
    }
}

/// The reply of `user.create` and `user.reset`, after the commit.
public struct UserLinkReply: Codable, Sendable {
    /// The account in its current state.
    public var user: UserAccount
    /// A one-time link to a page that sets the password. It is returned only once.
    public var link: String
    /// When the link expires.
    public var expiresAt: Timestamp

    /// Creates a reply.
    public init(user: UserAccount, link: String, expiresAt: Timestamp) {
        self.user = user
        self.link = link
        self.expiresAt = expiresAt
    }

    enum CodingKeys: String, CodingKey {
        case user, link
        case expiresAt = "expires_at"
    }
}
