import ChatCore
import ChatProtocol
import ChatStore
import FoundationEssentials
import Testing

/// A team with one user of each role.
struct TestTeam {
    let id: TeamID
    let owner: User
    let admin: User
    let member: User
    let viewer: User

    var everybody: [User] { [owner, admin, member, viewer] }
}

extension Store {
    /// Creates a team with one user of each role.
    func someTeam() async throws -> TestTeam {
        let owner = try await someone()
        let team = try await teams.create(
            TeamCreateRequest(key: UUID().uuidString, name: "t-\(UUID().uuidString.prefix(8))"),
            by: owner
        )
        return TestTeam(
            id: team.id,
            owner: owner,
            admin: try await join(team.id, as: .admin, by: owner),
            member: try await join(team.id, as: .member, by: owner),
            viewer: try await join(team.id, as: .viewer, by: owner)
        )
    }

    /// A new user who joins a team by a link.
    func join(_ team: TeamID, as role: TeamRole, by inviter: User) async throws -> User {
        let token = Array(UUID().uuidString.utf8.prefix(32))
        _ = try await teams.invite(
            TeamInviteRequest(team: team, role: role),
            tokenHash: token,
            lifetime: .seconds(60),
            by: inviter
        )
        let user = try await someone()
        _ = try await teams.join(tokenHash: token, by: user)
        return user
    }

    /// Creates a conversation in a team.
    func someConversation(of team: TeamID, by user: User) async throws -> Conversation {
        try await conversations.create(
            ConversationCreateRequest(key: UUID().uuidString, team: team),
            model: "demo",
            by: user.id
        )
    }

    /// Creates a conversation that is open to its team.
    func openConversation(of team: TeamID, by user: User) async throws -> Conversation {
        let made = try await someConversation(of: team, by: user)
        return try await conversations.update(
            ConversationUpdateRequest(conversation: made.id, open: true),
            by: user.id
        ).value
    }

    func remove(_ user: User, from team: TeamID, by actor: User) async throws
        -> [ConversationID: [ServerEvent]]
    {
        try await teams.removeMember(
            TeamMemberRemoveRequest(team: team, user: user.id),
            by: actor
        )
    }

    func make(_ user: User, _ role: TeamRole, in team: TeamID, by actor: User) async throws {
        _ = try await teams.updateMember(
            TeamMemberUpdateRequest(team: team, user: user.id, role: role),
            by: actor
        )
    }

    /// The roles of a conversation's members.
    func roles(in conversation: Conversation, for user: User) async throws -> [UserID: Role] {
        let members = try await conversations.conversation(conversation.id, for: user.id).members
        return Dictionary(uniqueKeysWithValues: members.map { ($0.user.id, $0.role) })
    }
}

@Suite("Teams")
struct TeamTests {
    @Test("are created once per key, with unique names, and are visible to members only")
    func making() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            let bob = try await store.someone()
            let request = TeamCreateRequest(key: "k", name: "Bakers")
            let team = try await store.teams.create(request, by: ann)
            #expect(try await store.teams.create(request, by: ann) == team)
            #expect(team.role == .owner)
            let taken = TeamCreateRequest(key: "k", name: "bakers")
            #expect(await refusal { _ = try await store.teams.create(taken, by: bob) } == .conflict)
            #expect(try await store.teams.list(of: ann.id) == [team])
            #expect(try await store.teams.list(of: bob.id).isEmpty)
            let page = TeamPageRequest(team: team.id)
            let seen = try await store.teams.team(page, limit: 10, for: ann.id)
            #expect(seen.members.map(\.user) == [User(id: ann.id, name: ann.name)])
            #expect(
                await refusal { _ = try await store.teams.team(page, limit: 10, for: bob.id) }
                    == .notFound
            )
            let renamed = try await store.teams.rename(
                TeamUpdateRequest(team: team.id, name: "BAKERS"),
                by: ann
            )
            #expect(renamed.name == "BAKERS")
        }
    }

    @Test("list their members page by page")
    func pages() async throws {
        try await withStore { store, _ in
            let team = try await store.someTeam()
            var names: [String] = []
            var cursor: String?
            repeat {
                let page = try await store.teams.team(
                    TeamPageRequest(team: team.id, cursor: cursor),
                    limit: 3,
                    for: team.viewer.id
                )
                names += page.members.map(\.user.name)
                cursor = page.cursor
            } while cursor != nil
            #expect(names == team.everybody.map(\.name).sorted())
        }
    }

    @Test("let admins manage all members but owners, and keep an owner")
    func roles() async throws {
        try await withStore { store, _ in
            let team = try await store.someTeam()
            try await store.make(team.viewer, .admin, in: team.id, by: team.admin)
            try await store.make(team.viewer, .viewer, in: team.id, by: team.admin)
            func change(_ user: User, _ role: TeamRole, by actor: User) async -> ErrorCode? {
                await refusal { try await store.make(user, role, in: team.id, by: actor) }
            }
            #expect(await change(team.owner, .member, by: team.admin) == .forbidden)
            #expect(await change(team.member, .owner, by: team.admin) == .forbidden)
            #expect(await change(team.viewer, .member, by: team.member) == .forbidden)
            #expect(await change(team.viewer, .member, by: team.viewer) == .forbidden)
            #expect(await change(team.owner, .admin, by: team.owner) == .forbidden)
            let stranger = try await store.someone()
            #expect(await change(team.viewer, .member, by: stranger) == .notFound)
            func remove(by actor: User) async -> ErrorCode? {
                await refusal {
                    _ = try await store.remove(team.owner, from: team.id, by: actor)
                }
            }
            #expect(await remove(by: team.admin) == .forbidden)
            #expect(await remove(by: team.owner) == .forbidden)
            try await store.make(team.admin, .owner, in: team.id, by: team.owner)
            _ = try await store.remove(team.owner, from: team.id, by: team.owner)
            #expect(try await store.teams.list(of: team.owner.id).isEmpty)
        }
    }

    @Test("are deleted by an owner once they have no conversations")
    func deletion() async throws {
        try await withStore { store, _ in
            let team = try await store.someTeam()
            let made = try await store.openConversation(of: team.id, by: team.member)
            func delete(by user: User) async -> ErrorCode? {
                await refusal { try await store.teams.delete(team.id, by: user) }
            }
            #expect(await delete(by: team.admin) == .forbidden)
            #expect(await delete(by: team.owner) == .forbidden)
            _ = try await store.conversations.delete(made.id, by: team.member.id)
            #expect(await delete(by: team.owner) == nil)
            #expect(await delete(by: team.owner) == .notFound)
            #expect(try await store.teams.list(of: team.viewer.id).isEmpty)
        }
    }
}

@Suite("Invite links")
struct TeamInviteTests {
    private let token = Array("0123456789abcdef0123456789abcdef".utf8)

    private func invite(
        _ store: Store,
        _ request: TeamInviteRequest,
        for lifetime: Duration = .seconds(60),
        by user: User
    ) async throws -> TeamInvite {
        try await store.teams.invite(request, tokenHash: token, lifetime: lifetime, by: user)
    }

    @Test("let in a limited number of users, with a given role")
    func uses() async throws {
        try await withStore { store, _ in
            let team = try await store.someTeam()
            let made = try await invite(
                store,
                TeamInviteRequest(team: team.id, role: .viewer, uses: 2),
                by: team.admin
            )
            #expect(made.usesLeft == 2)
            #expect(made.createdBy.id == team.admin.id)
            for _ in 0..<2 {
                let user = try await store.someone()
                let joined = try await store.teams.join(tokenHash: token, by: user)
                #expect(joined.role == .viewer)
                // Joining again uses nothing up.
                _ = try? await store.teams.join(tokenHash: token, by: user)
            }
            let third = try await store.someone()
            let refused = await refusal {
                _ = try await store.teams.join(tokenHash: token, by: third)
            }
            #expect(refused == .notFound)
            #expect(try await store.teams.invites(to: team.id, for: team.owner.id).isEmpty)
        }
    }

    @Test("end by expiry, by revocation, and with their creators' right to invite")
    func ends() async throws {
        try await withStore { store, _ in
            let team = try await store.someTeam()
            let user = try await store.someone()
            func join() async -> ErrorCode? {
                await refusal { _ = try await store.teams.join(tokenHash: token, by: user) }
            }
            let request = TeamInviteRequest(team: team.id)
            _ = try await invite(store, request, for: .seconds(-1), by: team.admin)
            #expect(await join() == .notFound)
            let second = try await invite(store, request, by: team.admin)
            #expect(try await store.teams.invites(to: team.id, for: team.admin.id) == [second])
            let revocation = TeamInviteRevokeRequest(team: team.id, invite: second.id)
            try await store.teams.revokeInvite(revocation, by: team.owner)
            #expect(await join() == .notFound)
            _ = try await invite(store, request, by: team.admin)
            try await store.make(team.admin, .member, in: team.id, by: team.owner)
            #expect(await join() == .notFound)
        }
    }

    @Test("are created by those who manage members, and grant no ownership")
    func makers() async throws {
        try await withStore { store, _ in
            let team = try await store.someTeam()
            let request = TeamInviteRequest(team: team.id)
            for user in [team.member, team.viewer] {
                let refused = await refusal { _ = try await invite(store, request, by: user) }
                #expect(refused == .forbidden)
            }
            let owners = TeamInviteRequest(team: team.id, role: .owner)
            let refused = await refusal { _ = try await invite(store, owners, by: team.owner) }
            #expect(refused == .forbidden)
        }
    }
}
