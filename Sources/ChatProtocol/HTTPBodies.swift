// JSON bodies of the HTTP routes for signing in.

/// `POST /api/v1/session`.
public struct SignInRequest: Codable, Sendable {
    /// The user's name.
    public var username: String
    /// The password.
    public var password: String

    /// Creates a request.
    public init(username: String, password: String) {
        self.username = username
        self.password = password
    }
}

/// `POST /api/v1/sign-up`: creates the first user of a server with the one-time link that it
/// printed, or an invited user.
public struct SignUpRequest: Codable, Sendable {
    /// The link's token.
    public var token: String
    /// The new user's name.
    public var username: String
    /// The new user's password.
    public var password: String

    /// Creates a request.
    public init(token: String, username: String, password: String) {
        self.token = token
        self.username = username
        self.password = password
    }
}

/// `POST /api/v1/reset`: sets a password with a one-time link.
public struct PasswordResetRequest: Codable, Sendable {
    /// The link's token.
    public var token: String
    /// The new password.
    public var password: String

    /// Creates a request.
    public init(token: String, password: String) {
        self.token = token
        self.password = password
    }
}

/// The reply to a sign-in.
public struct SignInReply: Codable, Sendable {
    /// The bearer token, for clients without cookies.
    public var token: String
    /// The signed-in user.
    public var user: User

    /// Creates a reply.
    public init(token: String, user: User) {
        self.token = token
        self.user = user
    }
}

/// The body of an HTTP error: the same object as in an error reply.
public struct ErrorBody: Codable, Sendable {
    /// The error.
    public var error: WireError

    /// Creates a body.
    public init(error: WireError) {
        self.error = error
    }
}

/// The OpenID provider that a server offers for signing in.
public struct OpenIDOffer: Codable, Hashable, Sendable {
    /// The host name of the provider, to which users are redirected.
    public var provider: String

    /// Creates an offer.
    public init(provider: String) {
        self.provider = provider
    }
}

/// The reply of `GET /api/v1/session` without a valid session: the error, and how to sign in.
public struct SignedOutBody: Codable, Sendable {
    /// `unauthenticated`.
    public var error: WireError
    /// The OpenID provider for signing in; nil for none.
    public var openID: OpenIDOffer?

    /// Creates a body.
    public init(error: WireError, openID: OpenIDOffer?) {
        self.error = error
        self.openID = openID
    }

    enum CodingKeys: String, CodingKey {
        case error
        case openID = "openid"
    }
}
