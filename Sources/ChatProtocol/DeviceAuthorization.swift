// Bodies of the routes that sign a device in by a link and a code: the device authorization grant of
// OAuth 2.0 (RFC 8628), served for Stoa's own clients.

/// The grant's constants.
public enum DeviceGrant {
    /// The public client identifier (RFC 6749, section 2.2): every client of Stoa has the same.
    public static let clientID = "stoa"
    /// The grant type of token requests (RFC 8628, section 3.4).
    public static let grantType = "urn:ietf:params:oauth:grant-type:device_code"
}

/// The reply of `POST /api/v1/device_authorization` (RFC 8628, section 3.2).
public struct DeviceAuthorizationReply: Codable, Sendable {
    /// The secret with which the device polls.
    public var deviceCode: String
    /// The code that the user types, such as "BCDF-GHJK".
    public var userCode: String
    /// The page where the user types it.
    public var verificationURI: String
    /// How long both codes are valid, in seconds.
    public var expiresIn: Int
    /// Least time between two polls, in seconds.
    public var interval: Int

    /// Creates a reply.
    public init(
        deviceCode: String,
        userCode: String,
        verificationURI: String,
        expiresIn: Int,
        interval: Int
    ) {
        self.deviceCode = deviceCode
        self.userCode = userCode
        self.verificationURI = verificationURI
        self.expiresIn = expiresIn
        self.interval = interval
    }

    enum CodingKeys: String, CodingKey {
        case interval
        case deviceCode = "device_code"
        case userCode = "user_code"
        case verificationURI = "verification_uri"
        case expiresIn = "expires_in"
    }
}

/// The reply of `POST /api/v1/token` (RFC 6749, section 5.1), with the user.
public struct DeviceTokenReply: Codable, Sendable {
    /// The bearer token of the sign-in.
    public var accessToken: String
    /// "Bearer".
    public var tokenType: String
    /// The signed-in user.
    public var user: User

    /// Creates a reply.
    public init(accessToken: String, user: User) {
        self.accessToken = accessToken
        tokenType = "Bearer"
        self.user = user
    }

    enum CodingKeys: String, CodingKey {
        case user
        case accessToken = "access_token"
        case tokenType = "token_type"
    }
}

/// The body of an error of these two routes (RFC 6749, section 5.2).
public struct GrantError: Codable, Sendable, Error {
    /// What is wrong: RFC 6749, section 5.2, and RFC 8628, section 3.5. The last two are those of
    /// RFC 6749, section 4.1.2.1.
    public enum Code: String, Codable, Sendable, CaseIterable {
        case invalidRequest = "invalid_request"
        case invalidClient = "invalid_client"
        case invalidGrant = "invalid_grant"
        case unsupportedGrantType = "unsupported_grant_type"
        case authorizationPending = "authorization_pending"
        case slowDown = "slow_down"
        case accessDenied = "access_denied"
        case expiredToken = "expired_token"
        case temporarilyUnavailable = "temporarily_unavailable"
        case serverError = "server_error"
    }

    /// The error's code.
    public var error: Code
    /// For the client's developer.
    public var description: String

    /// Creates an error.
    public init(_ error: Code, _ description: String) {
        self.error = error
        self.description = description
    }

    enum CodingKeys: String, CodingKey {
        case error
        case description = "error_description"
    }
}
