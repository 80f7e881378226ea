// Signing in and out, and knowing who asks: by the session's cookie, which only our own pages may use,
// or by a bearer token.

import ChatProtocol
import ChatStore
import HTTPProtocol

extension Router {
    /// `/api/v1/session`: POST signs in, GET says who, DELETE signs out.
    func session(_ request: Request) async throws -> Response {
        try require([.get, .head, .post, .delete], request)
        switch request.head.method {
        case .post: return try await signIn(request)
        case .delete:
            let signedIn = try await requireSignedIn(request)
            try await server.authenticator.signOut(signedIn.session)
            var response = Response(.noContent)
            setCookie(nil, on: &response)
            return response
        default:
            let signedIn = try await requireSignedIn(request)
            return .json(SessionBody(user: signedIn.user))
        }
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
            device: device(request)
        )
        return signedIn(token, user)
    }

    /// `POST /api/v1/sign-up`.
    func signUp(_ request: Request) async throws -> Response {
        try requireOwnOrigin(request)
        let body = try request.json(as: SignUpRequest.self)
        let (token, user) = try await server.authenticator.signUp(body, device: device(request))
        return signedIn(token, user)
    }

    private func signedIn(_ token: Token, _ user: User) -> Response {
        var response = Response.json(SignInReply(token: token.text, user: user))
        setCookie(token, on: &response)
        return response
    }

    private func device(_ request: Request) -> String {
        String((request.head.headers[.userAgent] ?? "").prefix(200))
    }

    // MARK: Who asks

    /// The sign-in of a request; nil where it bears none that is valid.
    func signedIn(_ request: Request) async throws -> SignedIn? {
        if let authorization = request.head.headers[.authorization] {
            guard authorization.lowercased().hasPrefix("bearer ") else { return nil }
            return try await server.authenticator.session(
                String(authorization.dropFirst("bearer ".count))
            )
        }
        guard let token = request.head.cookie(cookieName) else { return nil }
        try requireOwnOrigin(request)
        return try await server.authenticator.session(token)
    }

    func requireSignedIn(_ request: Request) async throws -> SignedIn {
        guard let signedIn = try await signedIn(request) else {
            throw WireError(.unauthenticated, "sign in first")
        }
        return signedIn
    }

    /// Who opens a WebSocket: known by cookie or header, or, without either, about to say so in its
    /// first frame.
    /// - Throws: `WireError.forbidden` where another site's page asks; `.unauthenticated` where a
    ///   token is given that is not valid.
    func webSocketClient(_ request: Request) async throws -> SignedIn? {
        try requireOwnOrigin(request)
        if let signedIn = try await signedIn(request) { return signedIn }
        guard request.head.headers[.authorization] == nil else {
            throw WireError(.unauthenticated, "the token is not valid")
        }
        // A browser whose cookie ended would only wait in vain for its first frame.
        guard request.head.headers[.origin] == nil else {
            throw WireError(.unauthenticated, "sign in first")
        }
        return nil
    }

    /// Refuses what another site's page sends: browsers name the page's origin, and cookies travel
    /// along whoever asks.
    private func requireOwnOrigin(_ request: Request) throws(WireError) {
        guard let origin = request.head.headers[.origin] else { return }
        if server.settings.allowedOrigins.contains(origin) { return }
        let host = request.head.headers[.host] ?? ""
        guard origin == "http://\(host)" || origin == "https://\(host)" else {
            throw WireError(.forbidden, "requests of other sites' pages are refused")
        }
    }

    // MARK: The cookie

    /// Over TLS the name's prefix makes browsers insist on Secure, Path=/ and no Domain.
    private var cookieName: String { isSecure ? "__Host-stoa_session" : "stoa_session" }

    private var isSecure: Bool { server.settings.isServedOverTLS }

    private func setCookie(_ token: Token?, on response: inout Response) {
        let cookie = HTTPCookie(
            cookieName,
            token?.text ?? "",
            maxAge: token == nil ? .zero : server.settings.sessionLifetime,
            isSecure: isSecure
        )
        guard let cookie else { return }
        response.head.headers.add(.setCookie, cookie.setCookieValue)
    }
}
