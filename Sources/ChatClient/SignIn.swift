// Signing in: the only HTTP request that a client makes before it opens its WebSocket.

public import ChatProtocol

extension HTTPClient {
    /// Signs in with a name and a password.
    /// - Returns: the bearer token and its user.
    /// - Throws: `.refused` with `wrong_credentials`, or why there was no response.
    public func signIn(
        username: String,
        password: String
    ) async throws(ChatClientError) -> SignInReply {
        let body = SignInRequest(username: username, password: password)
        let reply = try await post("/api/v1/session", json: WireEncoding.text(body))
        return try reply.decode(as: SignInReply.self)
    }
}
