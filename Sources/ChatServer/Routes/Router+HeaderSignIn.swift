// Sign-in by a header that a trusted proxy sets after it has authenticated the user. From anyone
// else the header is refused, whatever its value.

import ChatProtocol
import ChatStore
import HTTPProtocol

extension Router {
    /// The user named by the proxy; nil if the setting is off, or the header is missing.
    /// - Throws: `WireError.forbidden` if anyone but the trusted proxy sends the header.
    func userNamedByProxy(_ request: Request) throws(WireError) -> String? {
        let settings = server.settings
        guard let header = settings.signInHeader.flatMap({ HTTPHeaderName($0) }),
            request.head.headers.contains(header)
        else { return nil }
        guard settings.signInHeaderFrom.contains(where: { $0.contains(peer: request.peer) }) else {
            throw WireError(.forbidden, "only the trusted proxy may say who signs in")
        }
        // Multiple header lines are joined by a comma, which no user name contains.
        return try Authenticator.validName(request.head.headers[header] ?? "")
    }

    /// Signs in the user whom the proxy names.
    /// - Throws: `WireError.forbidden` if there is no such account, or it is disabled.
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
