// What the operations on other people's accounts take and answer: for administrators.

/// `user.list`: pages of all accounts, in the order of their names.
public struct UserListRequest: Codable, Sendable {
    /// Where the page before ended; nil for the first.
    public var cursor: String?
    /// How many at most.
    public var limit: Int?
    /// Only names that contain this, in whatever case.
    public var query: String?

    /// Puts a request together.
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
    /// Where the next page begins; nil where there is none.
    public var cursor: String?

    /// Puts a reply together.
    public init(users: [UserAccount], cursor: String? = nil) {
        self.users = users
        self.cursor = cursor
    }
}

/// `user.create`: makes an account without a password; a link sets it.
public struct UserCreateRequest: Codable, Sendable {
    /// The name to sign in with.
    public var name: String
    /// Whether they administer the server.
    public var isAdmin: Bool?

    /// Puts a request together.
    public init(name: String, isAdmin: Bool? = nil) {
        self.name = name
        self.isAdmin = isAdmin
    }

    enum CodingKeys: String, CodingKey {
        case name
        case isAdmin = "admin"
    }
}

/// `user.update`: changes what an account may do.
public struct UserUpdateRequest: Codable, Sendable {
    /// Whose.
    public var user: UserID
    /// Whether they administer the server from now on; nil leaves that as it is.
    public var isAdmin: Bool?
    /// Whether the account may do nothing from now on; nil leaves that as it is.
    public var isDisabled: Bool?

    /// Puts a request together.
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

/// `user.sessions`, `user.reset` and `user.delete`: about one account.
public struct UserRequest: Codable, Sendable {
    /// Whose.
    public var user: UserID

    /// Puts a request together.
    public init(user: UserID) {
        self.user = user
    }
}

/// `user.sessions.revoke`: ends sign-ins of somebody.
public struct UserSessionsRevokeRequest: Codable, Sendable {
    /// Whose.
    public var user: UserID
    /// Which; nil for all of them.
    public var session: SessionID?

    /// Puts a request together.
    public init(user: UserID, session: SessionID? = nil) {
        self.user = user
        self.session = session
    }
}

/// The reply of `user.update`, after the commit.
public struct UserReply: Codable, Sendable {
    /// The account, as it is now.
    public var user: UserAccount

    /// Puts a reply together.
    public init(user: UserAccount) {
        self.user = user
    }
}

/// The reply of `user.create` and `user.reset`, after the commit.
public struct UserLinkReply: Codable, Sendable {
    /// The account, as it is now.
    public var user: UserAccount
    /// Opens a page that sets the password, once; told here only.
    public var link: String
    /// Until when the link is good.
    public var expiresAt: Timestamp

    /// Puts a reply together.
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
