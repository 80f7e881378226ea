// Teams and share links, over two servers on one database.

import ChatProtocol
import HTTPProtocol
import Testing

extension EndToEnd.WithServersOfTheirOwn {
    @Suite("Teams and share links")
    struct Teams {
        /// Two servers, and users' connections to each.
        private struct Scene {
            let first: StoaServer
            let second: StoaServer
            let ada: Peer
            let bo: Peer
            let bosToken: String

            init() throws {
                first = try StoaServer(["--slots", "1"])
                try first.addUser("ada", isAdmin: true)
                try first.addUser("bo")
                second = try StoaServer(beside: first, ["--slots", "1"])
                ada = try first.connect(first.signIn("ada"))
                bosToken = try first.signIn("bo")
                bo = try second.connect(bosToken)
            }

            /// Creates a team of Ada's, which Bo joins by a link.
            func makeTeam() throws -> TeamID {
                let made: TeamReply = try ada.call(
                    .teamCreate,
                    TeamCreateRequest(key: "t", name: "Bakers")
                )
                let invite: TeamInviteReply = try ada.call(
                    .teamInvite,
                    TeamInviteRequest(team: made.team.id)
                )
                let joined: TeamReply = try bo.call(
                    .teamJoin,
                    TeamJoinRequest(token: invite.token)
                )
                #expect(joined.team == Team(id: made.team.id, name: "Bakers", role: .member))
                return made.team.id
            }

            /// Creates a conversation that is open to a team, which Bo joins.
            func makePlace(in team: TeamID, key: String) throws -> ConversationID {
                let made: ConversationReply = try ada.call(
                    .conversationCreate,
                    ConversationCreateRequest(key: key, team: team)
                )
                let place = made.conversation.id
                let open = ConversationUpdateRequest(conversation: place, open: true)
                _ = try ada.call(.conversationUpdate, open, as: ConversationReply.self)
                let joined: ConversationReply = try bo.call(
                    .conversationJoin,
                    ConversationRequest(conversation: place)
                )
                #expect(joined.conversation.role == .editor)
                return place
            }

            /// Removes Bo from a team, and waits for the events in either order: a conversation
            /// left his list, and, if he watches it, he left it.
            /// - Returns: the delay until his list said so.
            func removeBo(
                from team: TeamID,
                _ place: ConversationID,
                isWatched: Bool
            ) throws -> Duration {
                let members: TeamGetReply = try ada.call(.teamGet, TeamPageRequest(team: team))
                let user = try #require(members.members.first { $0.user.name == "bo" }?.user.id)
                let removal = TeamMemberRemoveRequest(team: team, user: user)
                _ = try ada.call(.teamMemberRemove, removal, as: EmptyReply.self)
                let begin = ContinuousClock.now
                var delay: Duration?
                var isOut = !isWatched
                while delay == nil || !isOut {
                    switch try bo.nextEvent() {
                    case .conversationUnlisted(let gone) where gone.conversation == place:
                        delay = ContinuousClock.now - begin
                    case .memberChanged(let change) where change.user.id == user:
                        isOut = change.role == nil
                    default: break
                    }
                }
                return delay ?? .zero
            }
        }

        @Test("a former member receives nothing more, on any server, within a second")
        func leaving() throws {
            let scene = try Scene()
            defer { withExtendedLifetime(scene) {} }
            let (ada, bo) = (scene.ada, scene.bo)
            let refused = try bo.refusal(.teamCreate, TeamCreateRequest(key: "x", name: "Mine"))
            #expect(refused == .forbidden)
            let team = try scene.makeTeam()
            let place = try scene.makePlace(in: team, key: "c")
            let found: TeamConversationsReply = try bo.call(
                .teamConversations,
                TeamPageRequest(team: team)
            )
            #expect(found.conversations.map(\.conversation) == [place])
            var mirror = try ada.watch(place)
            _ = try bo.watch(place)
            // The last answer waits for all the others.
            let answers = try (0..<24).map { _ in
                try bo.say("Tell me a long story.", in: place).answer.id
            }
            let first = try scene.removeBo(from: team, place, isWatched: true)
            for answer in answers { try ada.follow(&mirror, until: answer) }
            #expect(mirror.state(of: answers[23]) == .stopped)
            let again = MessageSendRequest(conversation: place, key: "again", text: "Still here?")
            #expect(try bo.refusal(.messageSend, again) == .notFound)
            let list = MessageListRequest(conversation: place)
            #expect(try bo.refusal(.messageList, list) == .notFound)
            // Later events were about other things.
            #expect(bo.events.allSatisfy { $0.n == nil })
            let delay = try shortestDelay(below: .seconds(1)) { count in
                if count == 0 { return first }
                let place = try scene.makePlace(in: scene.makeTeam(), key: "c\(count)")
                return try scene.removeBo(from: team, place, isWatched: false)
            }
            #expect(delay < .seconds(1))
        }

        @Test("a team's changes are numbered in the list, and resynchronized, on any server")
        func changes() throws {
            let scene = try Scene()
            defer { withExtendedLifetime(scene) {} }
            let (ada, bo) = (scene.ada, scene.bo)
            let team = try scene.makeTeam()
            var u: Int64 = 0
            var seen = Team(id: team, name: "Bakers", role: .member)
            func isTold(_ expected: Team?) throws {
                let told = try bo.nextTeam(&u)
                #expect(told == expected)
            }
            try isTold(seen)
            let members: TeamGetReply = try ada.call(.teamGet, TeamPageRequest(team: team))
            let user = try #require(members.members.first { $0.user.name == "bo" }?.user.id)

            let rename = TeamUpdateRequest(team: team, name: "Millers")
            _ = try ada.call(.teamUpdate, rename, as: TeamReply.self)
            seen.name = "Millers"
            try isTold(seen)
            let retention = TeamRetentionRequest(team: team, days: 30)
            _ = try ada.call(.teamRetention, retention, as: EmptyReply.self)
            seen.retentionDays = 30
            try isTold(seen)
            let demotion = TeamMemberUpdateRequest(team: team, user: user, role: .viewer)
            _ = try ada.call(.teamMemberUpdate, demotion, as: TeamMemberReply.self)
            seen.role = .viewer
            try isTold(seen)
            // Her list has other numbers; the last change is about him.
            var adas: Int64 = 0
            while adas < 5 {
                let told = try ada.nextTeam(&adas)
                #expect(told?.role == .owner)
            }

            // A client that was offline has missed its removal, and nothing else.
            let away = u
            let removal = TeamMemberRemoveRequest(team: team, user: user)
            _ = try ada.call(.teamMemberRemove, removal, as: EmptyReply.self)
            try isTold(nil)
            let back = try Peer(scene.second, token: scene.bosToken)
            guard case .welcome(let welcome) = try back.nextEvent() else {
                throw HarnessError("no welcome first")
            }
            #expect(welcome.u == u)
            func resynchronize(after: Int64) throws -> ConversationListReply {
                try back.call(.conversationList, ConversationListRequest(after: after))
            }
            let resynchronized = try resynchronize(after: away)
            #expect(
                resynchronized.u == u && resynchronized.teams == [] && resynchronized.reset == nil
            )
            #expect(try resynchronize(after: u).teams == nil)
            #expect(try resynchronize(after: u + 1).teams == [])
            let known = try resynchronize(after: 0)
            #expect(known.teams == [] && known.reset == nil)
            let list: TeamListReply = try back.call(.teamList)
            #expect(list.teams.isEmpty && list.u == u)
        }

        @Test("a share link shows its branch live, until it is revoked, on any server")
        func links() throws {
            let scene = try Scene()
            defer { withExtendedLifetime(scene) {} }
            let ada = scene.ada
            let place = try ada.createConversation(title: "Bread", systemPrompt: "a secret")
            var mirror = try ada.watch(place)
            _ = try ada.ask("What is 2 + 3?", in: place, &mirror)
            let made: ShareReply = try ada.call(
                .shareCreate,
                ShareCreateRequest(conversation: place)
            )
            func page() throws -> HTTPAnswer {
                try HTTPCall.send(
                    .get,
                    "/api/v1/shared/\(made.token)",
                    port: scene.second.port
                )
            }
            let shown = try page()
            #expect(shown.status == 200)
            #expect(!shown.text.contains("secret"))
            let first = try shown.decode(as: SharedPage.self)
            #expect(first.title == "Bread")
            #expect(first.messages.map(\.author) == ["ada", nil])

            let reader = try Peer(scene.second)
            let reply: ShareWatchReply = try reader.call(
                .shareWatch,
                ShareWatchRequest(token: made.token)
            )
            #expect(reply.page.messages == first.messages)
            #expect(try reader.refusal(.conversationList, EmptyRequest()) == .forbidden)
            let sent = try ada.say("Tell me a long story.", in: place)
            try ada.follow(&mirror, until: sent.answer.id)
            var grown: [UInt8] = []
            var last: SharedMessage?
            while last?.state != .complete {
                switch try reader.nextEvent() {
                case .messageDelta(let delta):
                    #expect(delta.message == sent.answer.id)
                    grown = grown.prefix(delta.at) + Array(delta.text.utf8)
                case .shareChanged(let change):
                    last = change.messages.last { $0.id == sent.answer.id } ?? last
                case let event: Issue.record("a link's reader was told \(event.name)")
                }
            }
            #expect(last?.text == mirror.text(of: sent.answer.id))
            #expect(last?.text.utf8.starts(with: grown) == true)

            let revocation = ShareRevokeRequest(conversation: place, share: made.share.id)
            _ = try ada.call(.shareRevoke, revocation, as: EmptyReply.self)
            #expect(try reader.closeCode(within: .seconds(5)) == CloseCode.linkEnded.rawValue)
            #expect(try page().status == 404)
            #expect(try Peer(scene.second).closeCodeAfterWatching(made.token) == 4201)
        }
    }
}

extension Peer {
    /// The next change of a team in a list at position `u`: the team, or nil if it was left.
    fileprivate func nextTeam(_ u: inout Int64) throws -> Team? {
        while true {
            switch try nextEvent() {
            case .teamChanged(let changed):
                #expect(changed.after == u, "a gap")
                u = changed.u
                return changed.team
            case .teamLeft(let left):
                #expect(left.after == u, "a gap")
                u = left.u
                return nil
            default: continue
            }
        }
    }

    /// The close code for an invalid share link.
    fileprivate func closeCodeAfterWatching(_ token: String) throws -> UInt16? {
        try send(.shareWatch, ShareWatchRequest(token: token))
        return try closeCode()
    }
}
