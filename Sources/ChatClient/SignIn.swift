// Signing in and out: the HTTP requests that a client makes beside its WebSocket.

public import ChatProtocol
import FoundationEssentials
import HTTPProtocol

extension HTTPClient {
    /// Signs in with a name and a password.
    /// - Parameters:
    ///   - username: the user's name.
    ///   - password: the password.
    ///   - device: the name of the sign-in in the user's list; nil for none.
    /// - Returns: the bearer token and its user.
    /// - Throws: `.refused` with `wrong_credentials`, or why there was no response.
    public func signIn(
        username: String,
        password: String,
        device: String? = nil
    ) async throws(ChatClientError) -> SignInReply {
        let body = SignInRequest(username: username, password: password)
        var headers = HTTPHeaders()
        if let device { headers[.userAgent] = device }
        let reply = try await post(
            "/api/v1/session",
            json: WireEncoding.text(body),
            headers: headers
        )
        return try reply.decode(as: SignInReply.self)
    }

    /// The user of a token.
    /// - Throws: `.refused` with `unauthenticated` if the token is not valid.
    public func user(of token: String) async throws(ChatClientError) -> User {
        struct SessionReply: Decodable { let user: User }
        let reply = try await get("/api/v1/session", headers: Self.bearer(token))
        return try reply.decode(as: SessionReply.self).user
    }

    /// The OpenID provider with which users sign in on the server's page; nil if there is none.
    /// - Throws: why there was no response.
    public func openIDOffer() async throws(ChatClientError) -> OpenIDOffer? {
        let reply = try await get("/api/v1/session")
        return (try? JSONDecoder().decode(SignedOutBody.self, from: Data(reply.body)))?.openID
    }

    /// Ends the sign-in of a token.
    /// - Throws: a refusal, for example if the token is an API key; or why there was no response.
    public func signOut(_ token: String) async throws(ChatClientError) {
        let reply = try await send(
            .delete,
            "/api/v1/session",
            headers: Self.bearer(token),
            body: []
        )
        guard reply.status.isSuccess else { throw reply.refusal }
    }

    private static func bearer(_ token: String) -> HTTPHeaders {
        [.authorization: "Bearer \(token)"]
    }
}
