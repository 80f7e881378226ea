import ChatCore
import ChatProtocol
import ChatStore
import Testing

private let lifetime = SessionLifetime(idle: .seconds(60), absolute: .seconds(600))

private func hash(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 32) }

@Suite("One-time links")
struct LinkTests {
    @Test("a reset link sets a password once, and ends all sign-ins of its user")
    func reset() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone("ann")
            let bob = try await store.someone("bob")
            for (byte, user) in [(UInt8(1), ann), (2, bob)] {
                _ = try await store.sessions.add(
                    user: user.id,
                    tokenHash: hash(byte),
                    device: "",
                    lifetime: lifetime
                )
            }
            for byte: UInt8 in [8, 9] {
                try await store.credentials.addResetLink(
                    tokenHash: hash(byte),
                    for: ann.id,
                    lifetime: .seconds(60),
                    by: .terminal
                )
            }
            // The newer link has invalidated the older one.
            #expect(try await !store.credentials.hasLink(.reset, tokenHash: hash(8)))
            #expect(try await store.credentials.hasLink(.reset, tokenHash: hash(9)))
            #expect(try await !store.credentials.hasLink(.invitation, tokenHash: hash(9)))
            let user = try await store.credentials.resetPassword(
                tokenHash: hash(9),
                passwordHash: "new"
            )
            #expect(user == ann.id)
            #expect(try await store.credentials.passwordHash(of: ann.id) == "new")
            #expect(try await store.sessions.session(tokenHash: hash(1), lifetime: lifetime) == nil)
            #expect(try await store.sessions.session(tokenHash: hash(2), lifetime: lifetime) != nil)
            for byte: UInt8 in [8, 9, 7] {
                let code = await refusal {
                    _ = try await store.credentials.resetPassword(
                        tokenHash: hash(byte),
                        passwordHash: "evil"
                    )
                }
                #expect(code == .forbidden)
            }
        }
    }

    @Test("an account and the link that sets its password are created together or not at all")
    func newAccount() async throws {
        try await withStore { store, _ in
            func make(_ name: String, _ byte: UInt8) async throws -> UserID {
                try await store.accounts.createUser(
                    named: name,
                    isAdmin: false,
                    tokenHash: hash(byte),
                    lifetime: .seconds(60),
                    by: .terminal
                )
            }
            let ann = try await make("ann", 1)
            #expect(try await store.credentials.hasLink(.reset, tokenHash: hash(1)))
            // The second link has the same token, so it fails after the account was inserted.
            await #expect(throws: (any Error).self) { try await make("bob", 1) }
            #expect(try await store.accounts.account(named: "bob") == nil)
            #expect(await refusal { _ = try await make("Ann", 2) } == .conflict)
            #expect(try await !store.credentials.hasLink(.reset, tokenHash: hash(2)))
            let user = try await store.credentials.resetPassword(
                tokenHash: hash(1),
                passwordHash: "new"
            )
            #expect(user == ann)
        }
    }

    @Test("an expired reset link, or one of a disabled account, sets nothing")
    func deadReset() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            func add(_ byte: UInt8, _ seconds: Int) async throws {
                try await store.credentials.addResetLink(
                    tokenHash: hash(byte),
                    for: ann.id,
                    lifetime: .seconds(seconds),
                    by: .terminal
                )
            }
            try await add(1, -1)
            try await store.lifeCycle.deleteExpired()
            #expect(
                await refusal {
                    _ = try await store.credentials.resetPassword(
                        tokenHash: hash(1),
                        passwordHash: "evil"
                    )
                } == .forbidden
            )
            try await add(2, 60)
            try await store.accounts.disable(ann.id, by: .terminal)
            #expect(try await !store.credentials.hasLink(.reset, tokenHash: hash(2)))
            #expect(await refusal { try await add(3, 60) } == .forbidden)
            #expect(try await store.credentials.passwordHash(of: ann.id) == "none")
        }
    }

    @Test("an invitation creates one ordinary user, if invitations are accepted")
    func invitation() async throws {
        try await withStore { store, _ in
            _ = try await store.someone("root")
            let link = hash(1)
            try await store.credentials.addInvitation(
                tokenHash: link,
                lifetime: .seconds(60),
                by: .terminal
            )
            func signUp(_ name: String, _ takesInvitations: Bool) async -> ErrorCode? {
                await refusal {
                    let user = try await store.accounts.signUp(
                        tokenHash: link,
                        name: name,
                        passwordHash: "none",
                        takesInvitations: takesInvitations
                    )
                    #expect(user.isAdmin == false)
                }
            }
            #expect(await signUp("ann", false) == .forbidden)
            #expect(await signUp("root", true) == .conflict)
            // The failed attempt with a taken name has not used up the link.
            #expect(await signUp("ann", true) == nil)
            #expect(await signUp("eve", true) == .forbidden)
        }
    }

    @Test("changing a password needs the old one, and ends the other sign-ins")
    func changing() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            var ids: [SessionID] = []
            for byte: UInt8 in 1...3 {
                ids.append(
                    try await store.sessions.add(
                        user: ann.id,
                        tokenHash: hash(byte),
                        device: "",
                        lifetime: lifetime
                    )
                )
            }
            let kept = ids[1]
            let stale = await refusal {
                try await store.credentials.changePassword(
                    of: ann,
                    from: "other",
                    to: "new",
                    but: kept
                )
            }
            #expect(stale == .conflict)
            try await store.credentials.changePassword(of: ann, from: "none", to: "new", but: kept)
            #expect(try await store.sessions.list(of: ann.id, current: nil).map(\.id) == [kept])
            try await store.credentials.rehashPassword(of: ann.id, from: "none", to: "older")
            #expect(try await store.credentials.passwordHash(of: ann.id) == "new")
        }
    }
}

@Suite("API keys")
struct KeyTests {
    @Test("a key authenticates its user, within its scopes, until it is revoked")
    func life() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            let bob = try await store.someone()
            let key = try await store.credentials.addKey(
                KeyCreateRequest(name: "backup", scopes: [.read, .write], expiresIn: 60),
                tokenHash: hash(1),
                of: ann
            )
            #expect(key.scopes == [.read, .write])
            #expect(key.expiresAt != nil)
            #expect(key.lastUsedAt == nil)
            let found = try await store.credentials.signedIn(keyHash: hash(1))
            #expect(found?.user.id == ann.id)
            #expect(found?.isKey == true)
            #expect(found?.credential.scopes == [.read, .write])
            #expect(try await store.credentials.keys(of: ann.id).first?.lastUsedAt != nil)
            #expect(try await store.credentials.keys(of: bob.id).isEmpty)
            let session = try #require(found?.session)
            let used = [(session: session, isAdministrator: false)]
            var changed = try await store.sessions.changedSignIns(
                among: used,
                used: [],
                lifetime: lifetime
            )
            #expect(changed.isEmpty)
            let foreign = await refusal {
                try await store.credentials.revokeKey(key.id, of: bob.id, by: Actor(bob))
            }
            #expect(foreign == .notFound)
            try await store.credentials.revokeKey(key.id, of: ann.id, by: Actor(ann))
            #expect(try await store.credentials.signedIn(keyHash: hash(1)) == nil)
            changed = try await store.sessions.changedSignIns(
                among: used,
                used: [],
                lifetime: lifetime
            )
            #expect(changed == [session: .ended])
        }
    }

    @Test("an administrator's key has administrator rights only with that scope")
    func scopes() async throws {
        try await withStore { store, _ in
            let root = try await store.accounts.addUser(
                name: "root",
                passwordHash: "none",
                isAdmin: true
            )
            for (byte, scopes) in [(UInt8(1), [Scope.read]), (2, [.read, .administer])] {
                let request = KeyCreateRequest(name: "key", scopes: scopes)
                _ = try await store.credentials.addKey(request, tokenHash: hash(byte), of: root)
            }
            let weak = try await store.credentials.signedIn(keyHash: hash(1))
            let strong = try await store.credentials.signedIn(keyHash: hash(2))
            #expect(weak?.credential.isAdministrator == false)
            #expect(weak?.user.isAdmin == true)
            #expect(strong?.credential.isAdministrator == true)
        }
    }

    @Test("an expired key is invalid, and disabling an account revokes its keys")
    func ends() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            let old = KeyCreateRequest(name: "old", scopes: [.read], expiresIn: -1)
            _ = try await store.credentials.addKey(old, tokenHash: hash(1), of: ann)
            #expect(try await store.credentials.signedIn(keyHash: hash(1)) == nil)
            let new = KeyCreateRequest(name: "new", scopes: [.read])
            _ = try await store.credentials.addKey(new, tokenHash: hash(2), of: ann)
            #expect(try await store.credentials.keys(of: ann.id).map(\.name) == ["new"])
            try await store.accounts.disable(ann.id, by: .terminal)
            try await store.accounts.enable(ann.id, by: .terminal)
            #expect(try await store.credentials.signedIn(keyHash: hash(2)) == nil)
        }
    }
}
