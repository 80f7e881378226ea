// Operations on the user's own password and API keys.

import ChatCore
import ChatProtocol
import ChatStore

extension ClientSession {
    /// Creates a key. Only this reply has its secret, which is not stored.
    func createKey(_ request: KeyCreateRequest) async throws -> KeyCreateReply {
        guard (1...100).contains(request.name.count), request.name.utf8.count <= 400 else {
            throw WireError(.badRequest, "a key's name has 1 to 100 characters")
        }
        try Limits.check(request.name, "name", atMost: 400)
        let scopes = Set(request.scopes)
        guard !scopes.isEmpty, scopes.count == request.scopes.count else {
            throw WireError(.badRequest, "scopes must name at least one, and each once")
        }
        // A key has no scopes that its creator's credential lacks.
        guard scopes.isSubset(of: credential.scopes),
            !scopes.contains(.administer) || credential.isAdministrator
        else { throw WireError(.forbidden, "an API key cannot have scopes that you lack") }
        if let seconds = request.expiresIn, !(1...315_360_000).contains(seconds) {
            throw WireError(.badRequest, "expires_in must be 1 to 315360000 seconds")
        }
        let secret = Token.makeKey()
        let key = try await server.store.credentials.addKey(
            request,
            tokenHash: secret.hash,
            of: user
        )
        return KeyCreateReply(key: key, secret: secret.text)
    }

    func listKeys() async throws -> KeyListReply {
        KeyListReply(keys: try await server.store.credentials.keys(of: user.id))
    }

    func revokeKey(_ request: KeyRevokeRequest) async throws -> EmptyReply {
        try await server.accounts.revokeKey(request.key, of: user.id, by: Actor(user))
        return EmptyReply()
    }

    /// Changes the user's password, and ends all their other sign-ins.
    func changePassword(_ request: AccountPasswordRequest) async throws -> EmptyReply {
        try await server.authenticator.changePassword(
            of: user,
            from: request.old,
            to: request.new,
            but: signedIn.isKey ? nil : session
        )
        await server.signIns.changed(user.id)
        return EmptyReply()
    }
}
