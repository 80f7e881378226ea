// Accounts, as administrators see and change them.

import ChatProtocol
import FoundationEssentials
import Testing

extension EndToEnd.WithServersOfTheirOwn.ForAdministrators {
    /// All accounts, page by page.
    private func users(_ peer: Peer, query: String? = nil) throws -> [UserAccount] {
        var users: [UserAccount] = []
        var cursor: String?
        repeat {
            let reply: UserListReply = try peer.call(
                .userList,
                UserListRequest(cursor: cursor, limit: 2, query: query)
            )
            users += reply.users
            cursor = reply.cursor
        } while cursor != nil
        return users
    }

    @Test("accounts are created with a link, listed, disabled and enabled again")
    func accounts() throws {
        let server = try SharedServer.server()
        let root = try SharedServer.connect("root")
        let made: UserLinkReply = try root.call(.userCreate, UserCreateRequest(name: "Zoe"))
        #expect(made.user.sessions == 0 && !made.user.isAdmin && !made.user.isDisabled)
        #expect(try root.refusal(.userCreate, UserCreateRequest(name: "zoe")) == .conflict)
        #expect(throws: HarnessError.self, "without a password nobody signs in") {
            _ = try server.signIn("Zoe")
        }
        let token = try #require(made.link.split(separator: "=").last)
        let set = try server.post(
            "/api/v1/reset",
            ["token": String(token), "password": server.password(of: "Zoe")]
        )
        #expect(set.status == 204, "\(set.text)")
        let zoe = try server.connect(server.signIn("Zoe"))

        let names = try users(root).map { $0.name.lowercased() }
        #expect(names == names.sorted())
        #expect(Set(names).isSuperset(of: ["ann", "bob", "root", "zoe"]))
        let listed = try #require(try users(root, query: "ZO").first)
        #expect(listed.id == made.user.id && listed.sessions == 1 && listed.seenAt != nil)

        func update(_ isDisabled: Bool) throws -> UserAccount {
            try root.call(
                .userUpdate,
                UserUpdateRequest(user: listed.id, isDisabled: isDisabled),
                as: UserReply.self
            ).user
        }
        #expect(try update(true).isDisabled)
        #expect(try zoe.closeCode() == CloseCode.sessionEnded.rawValue)
        #expect(try !update(false).isDisabled)
        _ = try server.connect(server.signIn("Zoe"))
    }

    @Test("other users' sign-ins are listed and ended")
    func sessions() throws {
        let server = try SharedServer.server()
        let root = try SharedServer.connect("root")
        let bob = try server.connect(server.signIn("bob"))
        let user = try #require(try users(root, query: "bob").first)
        let request = UserRequest(user: user.id)
        let before: SessionListReply = try root.call(.userSessions, request)
        #expect(before.sessions.count >= 2)
        let newest = try #require(before.sessions.max { $0.createdAt < $1.createdAt })
        let ended: SessionRevokeOthersReply = try root.call(
            .userSessionsRevoke,
            UserSessionsRevokeRequest(user: user.id, session: newest.id)
        )
        #expect(ended.ended == 1)
        #expect(try bob.closeCode() == CloseCode.sessionEnded.rawValue)
        let after: SessionListReply = try root.call(.userSessions, request)
        #expect(!after.sessions.contains { $0.id == newest.id })
        #expect(try root.refusal(.userSessions, UserRequest(user: .make())) == .notFound)
        let log: AuditListReply = try root.call(
            .auditList,
            AuditListRequest(actor: "root", action: "session")
        )
        #expect(log.entries.contains { $0.object == "\(user.id)" })
    }

    @Test("an account is deleted only by administrators, or with its password")
    func deletion() throws {
        let server = try SharedServer.server()
        try server.addUser("uma")
        let root = try SharedServer.connect("root")
        let uma = try server.connect(server.signIn("uma"))
        let user = try #require(try users(root, query: "uma").first)
        let request = UserRequest(user: user.id)
        #expect(try SharedServer.connect("ann").refusal(.userDelete, request) == .forbidden)
        _ = try root.call(.userDelete, request, as: EmptyReply.self)
        #expect(try uma.closeCode() == CloseCode.sessionEnded.rawValue)
        #expect(try users(root, query: "uma").isEmpty)
        #expect(try root.refusal(.userDelete, request) == .notFound)
        #expect(throws: HarnessError.self) { _ = try server.signIn("uma") }
        let own = try #require(try users(root, query: "root").first)
        #expect(try root.refusal(.userDelete, UserRequest(user: own.id)) == .forbidden)
        let mine = AccountDeleteRequest(password: server.password(of: "root"))
        #expect(try root.refusal(.accountDelete, mine) == .forbidden, "the last administrator")
        let log: AuditListReply = try root.call(
            .auditList,
            AuditListRequest(action: "user.deleted")
        )
        let entry = try #require(log.entries.first { $0.object == "\(user.id)" })
        #expect(entry.detail == nil && entry.actor.name == "root")
    }

    @Test("the last administrator remains")
    func lastAdministrator() throws {
        let root = try SharedServer.connect("root")
        let user = try #require(try users(root, query: "root").first)
        let demoted = UserUpdateRequest(user: user.id, isAdmin: false)
        #expect(try root.refusal(.userUpdate, demoted) == .forbidden)
        let disabled = UserUpdateRequest(user: user.id, isDisabled: true)
        #expect(try root.refusal(.userUpdate, disabled) == .forbidden)
        let nobody = UserUpdateRequest(user: .make(), isAdmin: true)
        #expect(try root.refusal(.userUpdate, nobody) == .notFound)
    }

    @Test("a key without the scope is refused here, and so is an ordinary user's sign-in")
    func keys() throws {
        let server = try SharedServer.server()
        let root = try SharedServer.connect("root")
        for scopes in [[Scope.read, .write, .account], [.read, .administer]] {
            let key = try root.call(
                .keyCreate,
                KeyCreateRequest(name: "test", scopes: scopes),
                as: KeyCreateReply.self
            )
            let program = try server.connect(key.secret)
            let code = try program.refusal(.userList, UserListRequest())
            #expect(code == (scopes.contains(.administer) ? nil : .forbidden))
        }
        let ann = try SharedServer.connect("ann")
        #expect(try ann.refusal(.userList, UserListRequest()) == .forbidden)
        #expect(try ann.refusal(.userReset, UserRequest(user: .make())) == .forbidden)
    }

    @Test("administrators see and change teams without being members")
    func teams() throws {
        let (ann, root) = (try SharedServer.connect("ann"), try SharedServer.connect("root"))
        let created: TeamReply = try root.call(
            .teamCreate,
            TeamCreateRequest(key: UUID().uuidString, name: "Bakers of rye")
        )
        let team = created.team.id
        let invite: TeamInviteReply = try root.call(.teamInvite, TeamInviteRequest(team: team))
        _ = try ann.call(.teamJoin, TeamJoinRequest(token: invite.token), as: TeamReply.self)
        #expect(try ann.refusal(.serverTeams, ServerTeamsRequest()) == .forbidden)
        #expect(try ann.refusal(.serverTeamDelete, TeamRequest(team: team)) == .forbidden)

        let (listed, table, _) = try admin(["teams", "list", "--query", "of RYE"])
        #expect(listed == .exited(0))
        #expect(table.contains("Bakers of rye"), "\(table)")
        let limited = try admin(["teams", "limit", "bakers of rye", "--daily", "5000"])
        #expect(limited.output == "bakers of rye: 5000 tokens a day\n", "\(limited)")
        let all: ServerTeamsReply = try root.call(
            .serverTeams,
            ServerTeamsRequest(query: "bakers of rye")
        )
        #expect(all.teams.map(\.members) == [2] && all.teams.map(\.daily) == [5000])
        #expect(try admin(["teams", "role", "\(team)", "ann", "king"]).end == .exited(64))
        let promoted = try admin(["teams", "role", "\(team)", "ann", "owner"])
        #expect(promoted.end == .exited(0), "\(promoted)")
        let left = try admin(["teams", "remove", "\(team)", "root"])
        #expect(left.end == .exited(0), "\(left)")
        let (_, members, _) = try admin(["teams", "show", "Bakers of rye", "--json"])
        let shown = try JSONDecoder().decode([String: [TeamMember]].self, from: Data(members.utf8))
        #expect(shown["members"]?.map(\.user.name) == ["ann"])
        #expect(shown["members"]?.map(\.role) == [.owner])
        // The last owner cannot be removed, and neither can what does not exist.
        #expect(try admin(["teams", "remove", "\(team)", "ann"]).end == .exited(77))
        #expect(try admin(["teams", "show", "no such team"]).end == .exited(65))
        let gone = try admin(["teams", "delete", "\(team)"])
        #expect(gone.end == .exited(0), "\(gone)")
        #expect(try ann.refusal(.teamGet, TeamPageRequest(team: team)) == .notFound)
    }

    @Test("usage is listed by day and user, or in total")
    func usage() throws {
        let server = try SharedServer.server()
        try server.addUser("ulf")
        let ulf = try server.connect(server.signIn("ulf"))
        let conversation = try ulf.createConversation(settings: GenerationSettings(maxTokens: 2))
        var mirror = try ulf.watch(conversation)
        _ = try ulf.ask("What is 2 + 3?", in: conversation, &mirror)
        let (end, json, errors) = try admin(["usage", "--json", "--limit", "1000"])
        #expect(end == .exited(0), "\(errors)")
        let reply = try JSONDecoder().decode(UsageListReply.self, from: Data(json.utf8))
        let used = reply.days.filter { $0.name == "ulf" }.reduce(0) { $0 + $1.used }
        #expect(used > 0)
        let (_, table, _) = try admin(["usage", "--by", "user", "--limit", "1000"])
        let line = table.split(separator: "\n").first { $0.hasPrefix("ulf ") }
        #expect(line?.contains(" \(used) ") == true, "\(table)")
        let (_, none, _) = try admin(["usage", "--to", "2020-01-01"])
        #expect(none.split(separator: "\n").count == 1, "\(none)")
        #expect(try admin(["usage", "--from", "yesterday"]).end == .exited(77))
        let limit = try admin(["users", "limit", "ulf", "--monthly", "9"])
        #expect(limit.output == "ulf: 9 tokens a month\n", "\(limit)")
        #expect(
            try ulf.refusal(
                .messageSend,
                MessageSendRequest(conversation: conversation, key: "k", text: "And 3 + 4?")
            ) == .budgetExceeded
        )
    }

    @Test("stoa admin users does the same in a terminal")
    func userCommands() throws {
        let (made, link, trouble) = try admin(["users", "create", "yan"])
        #expect(made == .exited(0), "\(trouble)")
        #expect(link.hasPrefix("http://") && link.contains("/#reset="), "\(link)")
        for (verb, state) in [
            ("promote", "an administrator"), ("demote", "not an administrator"),
            ("disable", "disabled"), ("enable", "enabled"),
        ] {
            let (end, output, errors) = try admin(["users", verb, "yan"])
            #expect(end == .exited(0), "\(errors)")
            #expect(output == "yan is \(state)\n")
        }
        let (listed, table, _) = try admin(["users", "list", "--query", "ya"])
        #expect(listed == .exited(0))
        #expect(table.split(separator: "\n").count == 2, "\(table)")
        #expect(try admin(["users", "delete", "yan"]).end == .exited(64))
        let (deleted, sentence, complaint) = try admin(["users", "delete", "yan", "--yes"])
        #expect(deleted == .exited(0), "\(complaint)")
        #expect(sentence == "deleted yan\n")
        let (_, none, _) = try admin(["users", "list", "--query", "ya"])
        #expect(none.split(separator: "\n").count == 1, "\(none)")
        let unknown = try admin(["users", "disable", "nobody at all"])
        #expect(unknown.end == .exited(65), "\(unknown)")
    }
}
