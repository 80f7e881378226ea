// Sign-in, sign-out, and authentication of requests: by the session cookie, which only our own
// pages may use, or by a bearer token.

import ChatCore
import ChatProtocol
import ChatStore
import HTTPProtocol

extension Router {
    /// `/api/v1/session`: POST signs in, GET returns the user, DELETE signs out.
    func session(_ request: Request) async throws -> Response {
        switch request.head.method {
        case .post: return try await signIn(request)
        case .delete:
            let signedIn = try await requireSignedIn(request, for: .session)
            guard !signedIn.isKey else {
                throw WireError(.forbidden, "revoke an API key with key.revoke")
            }
            try await server.accounts.signOut(signedIn)
            var response = Response(.noContent)
            setCookie(nil, on: &response)
            return response
        default:
            if let name = try userNamedByProxy(request), try await signedIn(request) == nil {
                return try await signInByHeader(name, request)
            }
            do {
                let signedIn = try await requireSignedIn(request, for: .session)
                return .json(SessionBody(user: signedIn.user))
            } catch let error as WireError where error.code == .unauthenticated {
                return signedOut(error)
            }
        }
    }

    /// The response without a valid session.
    private func signedOut(_ error: WireError) -> Response {
        let provider = server.openID?.configuration.host
        let body = SignedOutBody(
            error: error,
            openID: provider.map { OpenIDOffer(provider: $0) }
        )
        return .json(body, status: .unauthorized)
    }

    private struct SessionBody: Encodable {
        let user: User
    }

    private func signIn(_ request: Request) async throws -> Response {
        try requireOwnOrigin(request)
        let body = try request.json(as: SignInRequest.self)
        let (token, user) = try await server.authenticator.signIn(
            name: body.username,
            password: body.password,
            device: device(request),
            from: place(request)
        )
        return try await signedIn(token, user, request)
    }

    /// `POST /api/v1/sign-up`.
    func signUp(_ request: Request) async throws -> Response {
        try requireOwnOrigin(request)
        let body = try request.json(as: SignUpRequest.self)
        let (token, user) = try await server.authenticator.signUp(body, device: device(request))
        return try await signedIn(token, user, request)
    }

    /// The response to a successful sign-in.
    func signedIn(_ token: Token, _ user: User, _ request: Request) async throws -> Response {
        var response = Response.json(SignInReply(token: token.text, user: user))
        try await setCookie(token, of: user, request, on: &response)
        return response
    }

    /// Sets the browser's cookie. Its previous sign-in, which nobody could end any more, ends.
    func setCookie(
        _ token: Token,
        of user: User,
        _ request: Request,
        on response: inout Response
    ) async throws {
        setCookie(token, on: &response)
        if let old = request.head.cookie(cookieName),
            try await server.authenticator.replace(old, of: user.id)
        {
            await server.signIns.changed(user.id)
        }
    }

    func device(_ request: Request) -> String {
        String((request.head.headers[.userAgent] ?? "").prefix(200))
    }

    /// The client's network, by which sign-in attempts are counted; nil if unknown.
    func place(_ request: Request) -> String? {
        ClientAddress.place(clientAddress(request))
    }

    /// The client's address, also behind a trusted proxy; nil if unknown.
    func clientAddress(_ request: Request) -> String? {
        ClientAddress.of(
            peer: request.peer,
            request.head.headers,
            trusting: server.settings.trustedProxies,
            in: server.settings.forwardedHeader
        )
    }

    // MARK: Authentication

    /// The sign-in of a request; nil if it has no valid one.
    func signedIn(_ request: Request) async throws -> SignedIn? {
        // Throws on every path if an untrusted client sends the header.
        let named = try userNamedByProxy(request)
        if let authorization = request.head.headers[.authorization] {
            guard authorization.lowercased().hasPrefix("bearer ") else { return nil }
            return try await server.authenticator.session(
                String(authorization.dropFirst("bearer ".count))
            )
        }
        guard let token = request.head.cookie(cookieName) else { return nil }
        try requireOwnOrigin(request)
        let signedIn = try await server.authenticator.session(token)
        // The user named by the proxy counts, whatever cookie the browser has.
        if let named, signedIn?.user.name.lowercased() != named.lowercased() { return nil }
        // API keys are only accepted in the Authorization header.
        return signedIn?.isKey == true ? nil : signedIn
    }

    /// The sign-in of a request.
    /// - Parameters:
    ///   - request: the request.
    ///   - route: the route; a key must have its scope.
    /// - Returns: the sign-in.
    /// - Throws: `WireError.unauthenticated` if the request has no valid one; `.forbidden` if it
    ///   has a key without the scope, or comes from a page of another site.
    func requireSignedIn(_ request: Request, for route: HTTPRoute) async throws -> SignedIn {
        guard let signedIn = try await signedIn(request) else {
            throw WireError(.unauthenticated, "sign in first")
        }
        guard signedIn.credential.scopes.contains(route.scope) else {
            throw WireError(.forbidden, "the API key lacks the scope for this")
        }
        return signedIn
    }

    /// The client of a new WebSocket: authenticated by cookie or header, or, without either, later
    /// by its first frame.
    /// - Throws: `WireError.forbidden` if a page of another site asks, or a key lacks the scope for
    ///   reading; `.unauthenticated` for an invalid token; `.rateLimited` if the user, or their
    ///   address behind a proxy, has too many connections.
    func webSocketClient(_ request: Request) async throws -> WebSocketClient {
        try requireOwnOrigin(request)
        let signedIn = try await webSocketSignIn(request)
        let address = clientAddress(request)
        // Checked last, so that no other connection comes in between. A connection's own peer
        // address was counted when it was accepted.
        if address != request.peer { try server.requireRoom(at: address) }
        return WebSocketClient(
            signedIn: signedIn,
            address: address,
            traceCaller: server.traces?.caller(of: request.head.headers, peer: request.peer)
        )
    }

    /// See `webSocketClient`.
    private func webSocketSignIn(_ request: Request) async throws -> SignedIn? {
        // A share link comes in the first frame: a sign-in of the client does not count.
        if request.head.queryValue("shared") != nil { return nil }
        if let signedIn = try await signedIn(request) {
            // Every connection receives events, so it needs the right to read.
            guard signedIn.credential.scopes.contains(.read) else {
                throw WireError(.forbidden, "the API key lacks the scope for this")
            }
            try server.requireRoom(for: signedIn.user.id)
            return signedIn
        }
        guard request.head.headers[.authorization] == nil else {
            throw WireError(.unauthenticated, "the token is not valid")
        }
        // A browser whose cookie has expired will not authenticate in its first frame.
        guard request.head.headers[.origin] == nil else {
            throw WireError(.unauthenticated, "sign in first")
        }
        return nil
    }

    /// Throws if a page of another site sends the request: browsers send the page's origin, and
    /// send cookies whichever page asks.
    func requireOwnOrigin(_ request: Request) throws(WireError) {
        guard let origin = request.head.headers[.origin] else { return }
        if server.settings.allowedOrigins.contains(origin) { return }
        let host = request.head.headers[.host] ?? ""
        guard origin == "http://\(host)" || origin == "https://\(host)" else {
            throw WireError(.forbidden, "requests of other sites' pages are refused")
        }
    }

    // MARK: The cookie

    /// Over TLS, the prefix makes browsers require Secure, Path=/ and no Domain.
    private var cookieName: String { isSecure ? "__Host-stoa_session" : "stoa_session" }

    private var isSecure: Bool { server.settings.isServedOverTLS }

    private func setCookie(_ token: Token?, on response: inout Response) {
        let cookie = HTTPCookie(
            cookieName,
            token?.text ?? "",
            maxAge: token == nil ? .zero : server.settings.sessionMax,
            isSecure: isSecure
        )
        guard let cookie else { return }
        response.head.headers.add(.setCookie, cookie.setCookieValue)
    }
}
