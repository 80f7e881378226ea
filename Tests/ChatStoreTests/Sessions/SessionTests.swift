import ChatCore
import ChatProtocol
import ChatStore
import EventLoop
import Testing

/// A minute idle, ten minutes in total.
private let lifetime = SessionLifetime(idle: .seconds(60), absolute: .seconds(600))

@Suite("Sign-ins")
struct SessionTests {
    private func hash(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 32) }

    private func begin(
        _ byte: UInt8,
        of user: User,
        in store: Store,
        for duration: SessionLifetime = lifetime
    ) async throws -> SessionID {
        try await store.sessions.add(
            user: user.id,
            tokenHash: hash(byte),
            device: "device \(byte)",
            lifetime: duration
        )
    }

    @Test("a sign-in is found by its token's hash until it ends")
    func finding() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            let id = try await begin(7, of: ann, in: store)
            let found = try await store.sessions.session(tokenHash: hash(7), lifetime: lifetime)
            #expect(found?.session == id)
            #expect(found?.user.id == ann.id)
            #expect(found?.credential.isAdministrator == false)
            try await store.sessions.end(id)
            #expect(try await store.sessions.session(tokenHash: hash(7), lifetime: lifetime) == nil)
        }
    }

    @Test(
        "a sign-in that was idle for too long, or is too old, is invalid",
        arguments: [(-1, 60), (60, -1)]
    )
    func expiry(idle: Int, absolute: Int) async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            let short = SessionLifetime(idle: .seconds(idle), absolute: .seconds(absolute))
            let id = try await begin(8, of: ann, in: store, for: short)
            #expect(try await store.sessions.session(tokenHash: hash(8), lifetime: lifetime) == nil)
            let changed = try await store.sessions.changedSignIns(
                among: [(session: id, isAdministrator: false)],
                used: [id],
                lifetime: lifetime
            )
            #expect(changed == [id: .ended])
            #expect(try await store.sessions.list(of: ann.id, current: id).isEmpty)
            try await store.lifeCycle.deleteExpired()
        }
    }

    @Test("users end one of their sign-ins, or all but one, and no others")
    func revoking() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            let bob = try await store.someone()
            var ids: [SessionID] = []
            for byte: UInt8 in 1...4 { ids.append(try await begin(byte, of: ann, in: store)) }
            let listed = try await store.sessions.list(of: ann.id, current: ids[0])
            #expect(Set(listed.map(\.id)) == Set(ids))
            #expect(listed.filter { $0.current == true }.map(\.id) == [ids[0]])
            let foreign = ids[3]
            let code = await refusal {
                try await store.sessions.revoke(foreign, of: bob.id, by: Actor(bob))
            }
            #expect(code == .notFound)
            try await store.sessions.revoke(ids[3], of: ann.id, by: Actor(ann))
            let ended = try await store.sessions.revokeAll(of: ann.id, but: ids[0], by: Actor(ann))
            #expect(ended == 2)
            for isAdministrator in [false, true] {
                let changed = try await store.sessions.changedSignIns(
                    among: ids.map { (session: $0, isAdministrator: isAdministrator) },
                    used: [],
                    lifetime: lifetime
                )
                var expected: [SessionID: SignInChange] = [:]
                for id in ids.dropFirst() { expected[id] = .ended }
                if isAdministrator { expected[ids[0]] = .rights(isAdministrator: false) }
                #expect(changed == expected)
            }
        }
    }

    @Test("a new sign-in replaces the browser's old one of the same user")
    func rotation() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            let bob = try await store.someone()
            _ = try await begin(1, of: ann, in: store)
            #expect(try await !store.sessions.end(tokenHash: hash(1), of: bob.id))
            #expect(try await store.sessions.end(tokenHash: hash(1), of: ann.id))
            #expect(try await store.sessions.session(tokenHash: hash(1), lifetime: lifetime) == nil)
        }
    }
}

@Suite("Accounts and their administrators")
struct AdministrationTests {
    @Test("a disabled account has no sign-ins and gets none, until it is enabled")
    func disabling() async throws {
        try await withStore { store, _ in
            let root = try await store.accounts.addUser(
                name: "root",
                passwordHash: "none",
                isAdmin: true
            )
            let ann = try await store.someone("ann")
            let hash = [UInt8](repeating: 1, count: 32)
            let id = try await store.sessions.add(
                user: ann.id,
                tokenHash: hash,
                device: "",
                lifetime: lifetime
            )
            try await store.accounts.disable(ann.id, by: Actor(root))
            try await store.accounts.disable(ann.id, by: Actor(root))
            #expect(try await store.sessions.session(tokenHash: hash, lifetime: lifetime) == nil)
            let changed = try await store.sessions.changedSignIns(
                among: [(session: id, isAdministrator: false)],
                used: [],
                lifetime: lifetime
            )
            #expect(changed == [id: .ended])
            #expect(try await store.accounts.account(named: "ann")?.isDisabled == true)
            try await store.accounts.enable(ann.id, by: .terminal)
            #expect(try await store.accounts.account(named: "ann")?.isDisabled == false)
            let unknown = await refusal { try await store.accounts.disable(.make(), by: .server) }
            #expect(unknown == .notFound)
        }
    }

    @Test("the last administrator remains, even if two demote each other at once")
    func lastAdministrator() async throws {
        try await withStore { store, loop in
            var roots: [User] = []
            for name in ["one", "two"] {
                roots.append(
                    try await store.accounts.addUser(
                        name: name,
                        passwordHash: "none",
                        isAdmin: true
                    )
                )
            }
            var codes: [ErrorCode?] = []
            let tasks = roots.map { root in
                loop.spawn {
                    let code = await refusal {
                        try await store.accounts.disable(root.id, by: .server)
                    }
                    codes.append(code)
                }
            }
            for task in tasks { await task.wait() }
            #expect(codes.filter { $0 == nil }.count == 1)
            #expect(codes.filter { $0 == .forbidden }.count == 1)
            for root in roots {
                let code = await refusal {
                    try await store.accounts.setAdministrator(root.id, false, by: .server)
                }
                let isDisabled =
                    try await store.accounts.account(named: root.name)?.isDisabled == true
                #expect(code == (isDisabled ? nil : .forbidden))
            }
        }
    }

    @Test("answers of users who may no longer write are found, and no others")
    func revokedRuns() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            let bob = try await store.someone()
            let conversation = try await store.someConversation(of: ann)
            let add = MemberAddRequest(conversation: conversation.id, user: bob.name)
            _ = try await store.conversations.addMember(add, by: ann.id)
            let asked = try await store.say("hello", in: conversation, by: bob)
            _ = try await store.say("hello", in: conversation, by: ann)
            #expect(try await store.queue.revokedRuns().isEmpty)
            try await store.accounts.disable(bob.id, by: .terminal)
            let found = try await store.queue.revokedRuns()
            #expect(found.map(\.message) == [asked.answer.id])
            #expect(try await store.queue.revokedRuns(of: ann.id).isEmpty)
        }
    }
}
