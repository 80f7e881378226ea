import ChatCore
import ChatProtocol
import ChatStore
import FoundationEssentials
import Testing

@Suite("A team's conversations")
struct TeamConversationTests {
    @Test("are created by those who may write, and have no members from outside")
    func people() async throws {
        try await withStore { store, _ in
            let team = try await store.someTeam()
            let stranger = try await store.someone()
            let made = try await store.someConversation(of: team.id, by: team.member)
            #expect(made.team == team.id)
            #expect(made.open == false)
            func begin(by user: User) async -> ErrorCode? {
                await refusal { _ = try await store.someConversation(of: team.id, by: user) }
            }
            #expect(await begin(by: team.viewer) == .forbidden)
            #expect(await begin(by: stranger) == .notFound)
            func add(_ user: User) async -> ErrorCode? {
                await refusal {
                    let request = MemberAddRequest(conversation: made.id, user: user.name)
                    _ = try await store.conversations.addMember(request, by: team.member.id)
                }
            }
            #expect(await add(stranger) == .notFound)
            #expect(await add(team.viewer) == nil)
            // Whatever their role here, they are a viewer in the team.
            let seen = try await store.conversations.conversation(made.id, for: team.viewer.id)
            #expect(seen.role == .viewer)
        }
    }

    @Test("are joined by team members while they are open, with the role in the team")
    func joining() async throws {
        try await withStore { store, _ in
            let team = try await store.someTeam()
            let stranger = try await store.someone()
            let closed = try await store.someConversation(of: team.id, by: team.member)
            let open = try await store.openConversation(of: team.id, by: team.member)
            func join(_ conversation: Conversation, _ user: User) async -> ErrorCode? {
                await refusal {
                    _ = try await store.conversations.join(conversation.id, by: user)
                }
            }
            #expect(await join(closed, team.admin) == .notFound)
            #expect(await join(open, stranger) == .notFound)
            #expect(await join(open, team.admin) == nil)
            #expect(await join(open, team.admin) == nil)
            #expect(await join(open, team.viewer) == nil)
            let roles = try await store.roles(in: open, for: team.member)
            #expect(
                roles == [
                    team.member.id: .owner, team.admin.id: .editor, team.viewer.id: .viewer,
                ]
            )
            let listed = try await store.conversations.openConversations(
                TeamPageRequest(team: team.id),
                limit: 10,
                for: team.owner.id
            )
            #expect(listed.conversations.map(\.conversation) == [open.id])
            #expect(listed.conversations.first?.members == 3)
            #expect(listed.conversations.first?.joined == false)
            let unseen = await refusal {
                let page = TeamPageRequest(team: team.id)
                _ = try await store.conversations.openConversations(
                    page,
                    limit: 10,
                    for: stranger.id
                )
            }
            #expect(unseen == .notFound)
        }
    }

    @Test("are opened by their owners, if they belong to a team")
    func opening() async throws {
        try await withStore { store, _ in
            let team = try await store.someTeam()
            let open = try await store.openConversation(of: team.id, by: team.member)
            _ = try await store.conversations.join(open.id, by: team.admin)
            func close(_ id: ConversationID, by user: User) async -> ErrorCode? {
                await refusal {
                    let request = ConversationUpdateRequest(conversation: id, open: false)
                    _ = try await store.conversations.update(request, by: user.id)
                }
            }
            #expect(await close(open.id, by: team.admin) == .forbidden)
            #expect(await close(open.id, by: team.member) == nil)
            let personal = try await store.someConversation(of: team.member)
            #expect(await close(personal.id, by: team.member) == .badRequest)
        }
    }

    @Test("cannot be copied outside the team")
    func forks() async throws {
        try await withStore { store, _ in
            let team = try await store.someTeam()
            let open = try await store.openConversation(of: team.id, by: team.member)
            for user in [team.admin, team.viewer] {
                _ = try await store.conversations.join(open.id, by: user)
            }
            _ = try await store.say("hello", in: open, by: team.member)
            _ = try await store.answer("hi")
            let page = try await store.messages.page(
                of: open.id,
                before: nil,
                limit: 10,
                for: team.admin.id
            )
            let last = try #require(page.messages.last)
            let request = ConversationForkRequest(conversation: open.id, key: "f", message: last.id)
            #expect(try await store.conversations.fork(request, by: team.admin.id).team == team.id)
            let refused = await refusal {
                _ = try await store.conversations.fork(request, by: team.viewer.id)
            }
            #expect(refused == .forbidden)
        }
    }

    @Test("are left together with the team, and stay in it")
    func leaving() async throws {
        try await withStore { store, _ in
            let team = try await store.someTeam()
            let mine = try await store.someConversation(of: team.id, by: team.member)
            let ours = try await store.openConversation(of: team.id, by: team.member)
            let theirs = try await store.openConversation(of: team.id, by: team.owner)
            let outside = try await store.someConversation(of: team.member)
            for user in [team.viewer, team.admin] {
                _ = try await store.conversations.join(ours.id, by: user)
            }
            _ = try await store.conversations.join(theirs.id, by: team.member)
            let events = try await store.remove(team.member, from: team.id, by: team.admin)
            #expect(Set(events.keys) == [mine.id, ours.id, theirs.id])
            #expect(try await store.list(of: team.member).map(\.id) == [outside.id])
            for conversation in [mine, ours, theirs] {
                let refused = await refusal {
                    _ = try await store.say("still here", in: conversation, by: team.member)
                }
                #expect(refused == .notFound)
            }
            // Without other members, the team's owner becomes the owner; otherwise a member who may
            // write.
            #expect(
                try await store.roles(in: mine, for: team.owner) == [team.owner.id: .owner]
            )
            #expect(
                try await store.roles(in: ours, for: team.admin)
                    == [team.admin.id: .owner, team.viewer.id: .viewer]
            )
            #expect(try await store.roles(in: theirs, for: team.owner) == [team.owner.id: .owner])
            for conversation in [mine, ours, theirs] {
                let told = events[conversation.id] ?? []
                let reader = conversation.id == ours.id ? team.admin : team.owner
                let number = try await store.conversations.conversation(
                    conversation.id,
                    for: reader.id
                ).n
                let first = number - Int64(told.count)
                let stored = try await store.events.list(
                    of: conversation.id,
                    after: first,
                    limit: 10
                )
                #expect(stored.compactMap(\.n) == told.compactMap(\.n))
                #expect(told.first?.leaver == team.member.id)
            }
        }
    }

    @Test("appear and disappear in each list with a number each")
    func lists() async throws {
        try await withStore { store, _ in
            let team = try await store.someTeam()
            var conversations: [Conversation] = []
            for _ in 0..<5 {
                let open = try await store.openConversation(of: team.id, by: team.member)
                _ = try await store.conversations.join(open.id, by: team.admin)
                conversations.append(open)
            }
            var before: [UserID: Int64] = [:]
            for user in team.everybody {
                before[user.id] = try await store.lists.position(of: user.id)
            }
            _ = try await store.remove(team.member, from: team.id, by: team.member)
            for user in [team.member, team.admin] {
                let known = try #require(before[user.id])
                let changes = try await store.changes(user, after: known)
                // One for the team, and one for each of its conversations.
                #expect(changes.map(\.u) == (1...6).map { known + Int64($0) })
                let told = changes.filter { $0.conversation != nil }
                #expect(Set(told.compactMap(\.conversation)) == Set(conversations.map(\.id)))
                #expect(told.allSatisfy { ($0.summary == nil) == (user == team.member) })
            }
            let viewers = try await store.changes(team.viewer, after: 0)
            #expect(viewers.allSatisfy { $0.conversation == nil })
            // A changed role in the team changes the role in each of its conversations.
            let known = try await store.lists.position(of: team.admin.id)
            try await store.make(team.admin, .viewer, in: team.id, by: team.owner)
            let changes = try await store.changes(team.admin, after: known)
            #expect(changes.count == 6)
            #expect(changes.compactMap(\.summary?.role) == Array(repeating: .viewer, count: 5))
        }
    }

    @Test("share the team's limit in the queue")
    func queue() async throws {
        try await withStore { store, _ in
            let team = try await store.someTeam()
            let limits = QueueLimits(total: nil, perUser: 10, perTeam: 2)
            func ask(_ conversation: Conversation, _ user: User) async -> ErrorCode? {
                await refusal {
                    let request = MessageSendRequest(
                        conversation: conversation.id,
                        key: UUID().uuidString,
                        text: "hello"
                    )
                    _ = try await store.messages.send(request, by: user, limits: limits)
                }
            }
            for user in [team.owner, team.admin] {
                let made = try await store.someConversation(of: team.id, by: user)
                #expect(await ask(made, user) == nil)
            }
            let third = try await store.someConversation(of: team.id, by: team.member)
            #expect(await ask(third, team.member) == .busy)
            let personal = try await store.someConversation(of: team.member)
            #expect(await ask(personal, team.member) == nil)
            let rows = try await store.queue.rows(limit: 10)
            #expect(rows.map(\.answer.team) == [team.id.uuid, team.id.uuid, nil])
        }
    }

    @Test("run no answers for users who lost the right, however they lost it")
    func rights() async throws {
        try await withStore { store, _ in
            let team = try await store.someTeam()
            let open = try await store.openConversation(of: team.id, by: team.owner)
            for user in [team.admin, team.member] {
                _ = try await store.conversations.join(open.id, by: user)
            }
            let ofAdmin = try await store.say("hello", in: open, by: team.admin).answer.id
            let ofMember = try await store.say("hello", in: open, by: team.member).answer.id
            func lost(_ user: User?) async throws -> Set<MessageID> {
                Set(try await store.queue.revokedRuns(of: user?.id).map(\.message))
            }
            #expect(try await lost(nil).isEmpty)
            try await store.make(team.admin, .viewer, in: team.id, by: team.owner)
            #expect(try await lost(team.admin) == [ofAdmin])
            #expect(try await lost(team.member).isEmpty)
            try await store.make(team.admin, .member, in: team.id, by: team.owner)
            #expect(try await lost(nil).isEmpty)
            _ = try await store.remove(team.member, from: team.id, by: team.member)
            _ = try await store.conversations.addMember(
                MemberAddRequest(conversation: open.id, user: team.admin.name, role: .viewer),
                by: team.owner.id
            )
            #expect(try await lost(nil) == [ofAdmin, ofMember])
        }
    }
}

extension ServerEvent {
    /// The member who left, if any.
    fileprivate var leaver: UserID? {
        guard case .memberChanged(let change) = self, change.role == nil else { return nil }
        return change.user.id
    }
}
