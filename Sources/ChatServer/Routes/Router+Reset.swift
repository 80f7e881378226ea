// Sets a password with a one-time link.

import ChatProtocol
import HTTPProtocol

extension Router {
    /// `POST /api/v1/reset`: sets a password with a link that an administrator created.
    func resetPassword(_ request: Request) async throws -> Response {
        try requireOwnOrigin(request)
        let body = try request.json(as: PasswordResetRequest.self)
        let user = try await server.authenticator.resetPassword(body)
        await server.signIns.changed(user)
        return Response(.noContent)
    }
}
