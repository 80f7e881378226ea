import ChatCore
import ChatProtocol
import ChatStore
import Testing

@Suite("Share links")
struct ShareTests {
    private let token = Array("0123456789abcdef0123456789abcdef".utf8)

    private func texts(_ store: Store, before: MessageID? = nil, limit: Int = 10) async throws
        -> [String]
    {
        let share = try await store.shares.open(tokenHash: token)
        return try await store.shares.page(of: share, before: before, limit: limit).page.messages
            .map(\.text)
    }

    @Test("show the newest branch, or a selected one")
    func branches() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            let tea = try await store.someConversation(of: ann)
            let first = try await store.say("rye?", in: tea, by: ann)
            _ = try await store.answer("yes")
            let request = ShareCreateRequest(conversation: tea.id, leaf: first.message.id)
            _ = try await store.shares.create(request, tokenHash: token, by: ann)
            let whole = ShareCreateRequest(conversation: tea.id)
            let other = Array(token.reversed())
            _ = try await store.shares.create(whole, tokenHash: other, by: ann)
            _ = try await store.messages.edit(
                MessageEditRequest(
                    conversation: tea.id,
                    key: "e",
                    message: first.message.id,
                    text: "wheat?"
                ),
                by: ann,
                limits: wide
            )
            _ = try await store.answer("no")
            #expect(try await texts(store) == ["rye?", "yes"])
            #expect(try await texts(store, limit: 1) == ["yes"])
            #expect(try await texts(store, before: first.answer.id) == ["rye?"])
            let share = try await store.shares.open(tokenHash: other)
            let page = try await store.shares.page(of: share, before: nil, limit: 10).page
            #expect(page.messages.map(\.text) == ["wheat?", "no"])
            #expect(page.messages.map(\.author) == [ann.name, nil])
            #expect(try await store.shares.list(of: tea.id, for: ann.id).count == 2)
        }
    }

    @Test("are created and revoked by owners, and end with their creators' right")
    func ends() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            let bob = try await store.someone()
            let tea = try await store.someConversation(of: ann)
            _ = try await store.say("rye?", in: tea, by: ann)
            func put(_ user: User, _ role: Role, by actor: User) async throws {
                let request = MemberAddRequest(
                    conversation: tea.id,
                    user: user.name,
                    role: role
                )
                _ = try await store.conversations.addMember(request, by: actor.id)
            }
            try await put(bob, .editor, by: ann)
            let request = ShareCreateRequest(conversation: tea.id)
            func share(by user: User) async -> ErrorCode? {
                await refusal {
                    _ = try await store.shares.create(request, tokenHash: token, by: user)
                }
            }
            func read() async -> ErrorCode? {
                await refusal { _ = try await store.shares.open(tokenHash: token) }
            }
            #expect(await share(by: bob) == .forbidden)
            try await put(bob, .owner, by: ann)
            #expect(await share(by: bob) == nil)
            #expect(await read() == nil)
            try await put(bob, .editor, by: ann)
            #expect(await read() == .notFound)
            try await put(bob, .owner, by: ann)
            let id = try #require(try await store.shares.list(of: tea.id, for: ann.id).first?.id)
            #expect(try await store.shares.open(among: [id, .make()]) == [id])
            let revocation = ShareRevokeRequest(conversation: tea.id, share: id)
            try await store.shares.revoke(revocation, by: ann)
            #expect(await read() == .notFound)
            #expect(try await store.shares.open(among: [id]).isEmpty)
            #expect(await share(by: ann) == nil)
            _ = try await store.conversations.delete(tea.id, by: ann.id)
            #expect(await read() == .notFound)
        }
    }
}
