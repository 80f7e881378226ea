// Operations on a connection: signing in by the first frame, and pings.

extension Operation {
    /// Signs in by the first frame of a connection whose handshake had no token.
    public static var auth: Operation<AuthRequest, AuthReply> {
        .init(
            "auth",
            requires: .signedIn,
            allowed: "anybody",
            scope: .read,
            takes: "`token`",
            replies: "`{user}`",
            examples: [
                AuthRequest(
                    token: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                )
            ]
        )
    }

    /// Checks that the server responds, and gets its time.
    public static var ping: Operation<EmptyRequest, PingReply> {
        .init(
            "ping",
            requires: .signedIn,
            scope: .read,
            replies: "`{time}`",
            examples: [EmptyRequest()]
        )
    }
}

extension OperationDefinition {
    static let connections: [OperationDefinition] = [
        .init(.auth),
        .init(.ping),
    ]
}

// MARK: Requests and replies

/// `auth`: the first frame of a client that could not send its token with the handshake.
public struct AuthRequest: Codable, Sendable {
    /// A bearer token.
    public var token: String

    /// Creates a request.
    public init(token: String) {
        self.token = token
    }
}

/// The reply of `auth`.
public struct AuthReply: Codable, Sendable {
    /// The signed-in user.
    public var user: User

    /// Creates a reply.
    public init(user: User) {
        self.user = user
    }
}

/// The reply of `ping`.
public struct PingReply: Codable, Sendable {
    /// The server's time.
    public var time: Timestamp

    /// Creates a reply.
    public init(time: Timestamp) {
        self.time = time
    }
}
