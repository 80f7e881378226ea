// The JSON bodies of the HTTP routes for signing in.

/// `POST /api/v1/session`.
public struct SignInRequest: Codable, Sendable {
    /// The user's name.
    public var username: String
    /// The password.
    public var password: String

    /// Puts a request together.
    public init(username: String, password: String) {
        self.username = username
        self.password = password
    }
}

/// `POST /api/v1/sign-up`: the first user of a server, by the one-time link that it printed, or one who
/// was invited.
public struct SignUpRequest: Codable, Sendable {
    /// The link's token.
    public var token: String
    /// The new user's name.
    public var username: String
    /// The new user's password.
    public var password: String

    /// Puts a request together.
    public init(token: String, username: String, password: String) {
        self.token = token
        self.username = username
        self.password = password
    }
}

/// `POST /api/v1/reset`: sets a password by a one-time link.
public struct PasswordResetRequest: Codable, Sendable {
    /// The link's token.
    public var token: String
    /// The new password.
    public var password: String

    /// Puts a request together.
    public init(token: String, password: String) {
        self.token = token
        self.password = password
    }
}

/// What signing in answers with.
public struct SignInReply: Codable, Sendable {
    /// The bearer token, for clients that keep no cookie.
    public var token: String
    /// Who signed in.
    public var user: User

    /// Puts a reply together.
    public init(token: String, user: User) {
        self.token = token
        self.user = user
    }
}

/// The body of an HTTP error: the same object that a refusing reply bears.
public struct ErrorBody: Codable, Sendable {
    /// What went wrong.
    public var error: WireError

    /// Puts a body together.
    public init(error: WireError) {
        self.error = error
    }
}

/// The provider that a server offers to sign in with.
public struct OpenIDOffer: Codable, Hashable, Sendable {
    /// The name of the provider's machine: where people are sent.
    public var provider: String

    /// Puts an offer together.
    public init(provider: String) {
        self.provider = provider
    }
}

/// What `GET /api/v1/session` answers to nobody in particular: the error, and how one can sign in.
public struct SignedOutBody: Codable, Sendable {
    /// That one has to sign in first.
    public var error: WireError
    /// The provider that one can sign in with; nil for none.
    public var openID: OpenIDOffer?

    /// Puts a body together.
    public init(error: WireError, openID: OpenIDOffer?) {
        self.error = error
        self.openID = openID
    }

    enum CodingKeys: String, CodingKey {
        case error
        case openID = "openid"
    }
}
