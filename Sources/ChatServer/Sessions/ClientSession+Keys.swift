// The operations on one's own API keys.

import ChatCore
import ChatProtocol
import ChatStore

extension ClientSession {
    /// Makes a key. Its secret is told here and never again: it is kept nowhere.
    func createKey(_ request: KeyCreateRequest) async throws -> KeyCreateReply {
        guard (1...100).contains(request.name.count), request.name.utf8.count <= 400 else {
            throw WireError(.badRequest, "a key's name has 1 to 100 characters")
        }
        try Limits.check(request.name, "name", atMost: 400)
        let scopes = Set(request.scopes)
        guard !scopes.isEmpty, scopes.count == request.scopes.count else {
            throw WireError(.badRequest, "scopes must name at least one, and each once")
        }
        // Nobody makes a key that is good for more than what they are let in by.
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

    /// Changes the asker's password, and ends all their other sign-ins.
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
