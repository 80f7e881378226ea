// Sign-in with an OpenID provider: redirects the browser to it and handles its return.

import ChatProtocol
import ChatStore
import HTTPProtocol
import Logging

/// Why a sign-in with the provider failed: the page has a sentence for each.
private enum OpenIDFailure: String {
    /// It was started in another browser, or too long ago.
    case outOfDate = "out-of-date"
    /// The provider did not authenticate the user, or its token is invalid.
    case declined
    /// No account is linked to the provider's user.
    case noAccount = "no-account"
    /// Too many sign-ins were started from the client's network.
    case tooMany = "too-many"
    /// The provider, or this server's database, is unavailable.
    case unavailable

    /// The failure for an error.
    init(_ error: WireError) {
        switch error {
        case .signInOutOfDate: self = .outOfDate
        case .signInDeclined: self = .declined
        case _ where error.code == .rateLimited: self = .tooMany
        default: self = error.code == .forbidden ? .noAccount : .unavailable
        }
    }
}

extension WireError {
    fileprivate static let signInOutOfDate = WireError(
        .forbidden,
        "this sign-in was not started here, or has expired: start again"
    )
    fileprivate static let signInDeclined = WireError(
        .forbidden,
        "the provider did not sign you in"
    )
}

extension Router {
    /// How long a sign-in with the provider may take.
    private static let patience: Duration = .seconds(600)

    /// Handles a request of a sign-in. If it fails, a browser is redirected to our page, which
    /// explains the failure. The URL contains only one of our codes, never text, which anyone could
    /// put into a link.
    func signingIn(
        _ request: Request,
        _ answer: () async throws -> Response
    ) async throws -> Response {
        do {
            return try await answer()
        } catch {
            let accepted = request.head.headers[.accept] ?? ""
            guard accepted.contains("text/html") else { throw error }
            let failure = OpenIDFailure(server.wireError(error, in: request.id))
            let page = "/#sign-in-failed=\(failure.rawValue)"
            return Response(
                HTTPStatus(302),
                headers: [.location: page, .cacheControl: "no-store"]
            )
        }
    }

    /// `GET /api/v1/openid/start`: sends the browser to the provider.
    func startOpenID(_ request: Request) async throws -> Response {
        let provider = try openIDProvider()
        try server.authenticator.countOpenIDStart(from: place(request))
        let (state, nonce, verifier) = (Token.make(), Token.make(), Token.make())
        let url: String
        do {
            url = try await provider.authorizationURL(
                state: state.text,
                nonce: nonce.text,
                verifier: verifier.text
            )
        } catch {
            throw unreachable(error, request)
        }
        try await server.store.credentials.addOpenIDRequest(
            stateHash: state.hash,
            nonce: nonce.text,
            verifier: verifier.text,
            lifetime: Self.patience
        )
        var response = Response(
            HTTPStatus(302),
            headers: [.location: url, .cacheControl: "no-store"]
        )
        setOpenIDCookie(state.text, for: Self.patience, on: &response)
        return response
    }

    /// `GET /api/v1/openid/callback?code=…&state=…`: the browser returns. The cookie proves that it
    /// is the same browser; the state, which is valid once, that it is the same sign-in.
    func finishOpenID(_ request: Request) async throws -> Response {
        let provider = try openIDProvider()
        guard let state = request.head.queryValue("state"),
            request.head.cookie(openIDCookieName) == state,
            let pending = try await server.store.credentials.takeOpenIDRequest(
                stateHash: Token(text: state).hash
            )
        else { throw WireError.signInOutOfDate }
        guard let code = request.head.queryValue("code") else { throw WireError.signInDeclined }
        let identity: IDToken
        do {
            identity = try await provider.redeem(
                code: code,
                verifier: pending.verifier,
                nonce: pending.nonce
            )
        } catch let error as IDToken.Refusal {
            server.logger.warning(
                "ID token rejected",
                metadata: ["request": "\(request.id)", "reason": "\(error)"]
            )
            throw WireError.signInDeclined
        } catch {
            throw unreachable(error, request)
        }
        let makesUsers = server.settings.openIDNewUsers == .on
        let user = try await server.store.credentials.user(
            ofIssuer: provider.configuration.issuer,
            subject: identity.subject,
            newName: makesUsers
                ? identity.preferredName.flatMap { try? Authenticator.validName($0) } : nil
        )
        let token = try await server.authenticator.begin(for: user, device: device(request))
        var response = Response(
            HTTPStatus(302),
            headers: [.location: "/", .cacheControl: "no-store"]
        )
        setOpenIDCookie("", for: .zero, on: &response)
        try await setCookie(token, of: user, request, on: &response)
        return response
    }

    private func openIDProvider() throws(WireError) -> OpenIDProvider {
        guard let provider = server.openID else {
            throw WireError(.notFound, "this server has no OpenID provider")
        }
        return provider
    }

    private func unreachable(_ error: any Error, _ request: Request) -> WireError {
        server.logger.error(
            "OpenID provider failed",
            metadata: ["request": "\(request.id)", "error": "\(error)"]
        )
        return WireError(.unavailable, "OpenID provider unavailable: try again", retryAfter: 5)
    }

    private var openIDCookieName: String {
        server.settings.isServedOverTLS ? "__Host-stoa_openid" : "stoa_openid"
    }

    private func setOpenIDCookie(
        _ value: String,
        for duration: Duration,
        on response: inout Response
    ) {
        let cookie = HTTPCookie(
            openIDCookieName,
            value,
            maxAge: duration,
            isSecure: server.settings.isServedOverTLS
        )
        if let cookie { response.head.headers.add(.setCookie, cookie.setCookieValue) }
    }
}
