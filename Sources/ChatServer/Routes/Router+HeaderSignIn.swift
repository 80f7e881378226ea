// Signing in by a header that a named proxy writes: the proxy has found out who it is. From anybody else
// the header is refused, whatever it says.

import ChatProtocol
import ChatStore
import HTTPProtocol

extension Router {
    /// The user whom the proxy names; nil where the setting is off, or the header is missing.
    /// - Throws: `WireError.forbidden` where anybody but the named proxy sends the header.
    func userNamedByProxy(_ request: Request) throws(WireError) -> String? {
        let settings = server.settings
        guard let header = settings.signInHeader.flatMap({ HTTPHeaderName($0) }),
            request.head.headers.contains(header)
        else { return nil }
        guard settings.signInHeaderFrom.contains(where: { $0.contains(peer: request.peer) }) else {
            throw WireError(.forbidden, "only the trusted proxy may say who signs in")
        }
        // Several lines are joined by a comma, which no name has.
        return try Authenticator.validName(request.head.headers[header] ?? "")
    }

    /// Begins a sign-in of the user whom the proxy names.
    /// - Throws: `WireError.forbidden` where there is no such account, or it is disabled.
    func signInByHeader(_ name: String, _ request: Request) async throws -> Response {
        try requireOwnOrigin(request)
        let (token, user) = try await server.authenticator.signInTrusted(
            name: name,
            device: device(request),
            makesUsers: server.settings.signInHeaderNewUsers == .on
        )
        return try await signedIn(token, user, request)
    }
}
