// Signing in: the one thing that a client does over HTTP before it opens its WebSocket.

public import ChatProtocol

extension HTTPClient {
    /// Signs in with a name and a password.
    /// - Returns: the bearer token, and who it stands for.
    /// - Throws: `.refused` with `wrong_credentials`, or why the server could not be asked.
    public func signIn(
        username: String,
        password: String
    ) async throws(ChatClientError) -> SignInReply {
        let body = SignInRequest(username: username, password: password)
        let reply = try await post("/api/v1/session", json: WireEncoding.text(body))
        return try reply.decode(as: SignInReply.self)
    }
}
