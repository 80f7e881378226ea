// A server with network I/O on other loops: clients see no difference, only the metrics do.

import ChatProtocol
import HTTPProtocol
import Testing

extension EndToEnd.WithServersOfTheirOwn {
    @Suite(
        "On three loops",
        .server(
            users: ["ada", "bo", "cy", "dee"],
            ["--loops", "3", "--metrics-token", "a-token-for-metrics"]
        )
    )
    struct SeveralLoops {
        private func connect(_ user: String) throws -> Peer { try SharedServer.connect(user) }

        /// Adds `user` to a conversation, and returns the user.
        @discardableResult
        private func add(
            _ user: String,
            to conversation: ConversationID,
            by owner: Peer
        ) throws -> UserID {
            let request = MemberAddRequest(conversation: conversation, user: user)
            let members = try owner.call(.memberAdd, request, as: MemberReply.self).members
            return try #require(members.first { $0.user.name == user }?.user.id)
        }

        @Test("all subscribers get the same events in the same order, and every byte of the answer")
        func everybodyGetsEveryByte() throws {
            let users = ["ada", "bo", "cy", "dee"]
            let peers = try users.map { try connect($0) }
            let conversation = try peers[0].createConversation()
            for user in users.dropFirst() { try add(user, to: conversation, by: peers[0]) }
            var mirrors = try peers.map { try $0.watch(conversation) }
            let answer = try peers[0].say("Tell me a long story.", in: conversation).answer.id
            for index in peers.indices {
                try peers[index].follow(&mirrors[index], until: answer)
            }
            let stored = try #require(
                peers[0].messages(of: conversation).first { $0.id == answer }
            )
            for (user, mirror) in zip(users, mirrors) {
                #expect(mirror.text(of: answer) == stored.text, "\(user)")
                #expect(mirror.order == mirrors[0].order, "\(user)")
                #expect(mirror.deltaCount > 1, "\(user) saw nothing grow")
            }
        }

        @Test("a slow consumer gets all replies, and merged deltas")
        func slowConsumer() throws {
            let (fast, slow) = (try connect("ada"), try connect("bo"))
            let conversation = try fast.createConversation()
            try add("bo", to: conversation, by: fast)
            var (mirror, slowMirror) = (try fast.watch(conversation), try slow.watch(conversation))
            // More than the system buffers, and less than a connection is closed for.
            let prompt = String(repeating: "x", count: 250_000)
            let large = ConversationRequest(
                conversation: try slow.createConversation(systemPrompt: prompt)
            )
            let requests = try (0..<24).map { _ in try slow.send(.conversationGet, large) }
            let other = ConversationRequest(conversation: conversation)
            for _ in 0..<24 {
                _ = try fast.call(.conversationGet, other, as: ConversationReply.self)
            }
            let answer = try fast.say("Tell me a long story.", in: conversation).answer.id
            try fast.follow(&mirror, until: answer)

            for request in requests {
                let reply = try slow.reply(to: request).get().decode(as: ConversationReply.self)
                #expect(reply.conversation.systemPrompt == prompt)
            }
            while slowMirror.state(of: answer)?.isFinal != true {
                let event = try slow.nextEvent()
                if case .lagged = event {
                    try slow.watchAgain(conversation, &slowMirror)
                } else {
                    try slowMirror.take(event)
                }
            }
            #expect(slowMirror.text(of: answer) == mirror.text(of: answer))
            #expect(slowMirror.deltaCount < mirror.deltaCount)
        }

        @Test("no event sent before a removal arrives after its acknowledgement")
        func removal() throws {
            let (owner, guest) = (try connect("ada"), try connect("cy"))
            let conversation = try owner.createConversation()
            for _ in 0..<10 {
                let user = try add("cy", to: conversation, by: owner)
                _ = try guest.watch(conversation)
                for number in 0..<20 {
                    let change = ConversationUpdateRequest(
                        conversation: conversation,
                        title: "\(number)"
                    )
                    try owner.send(.conversationUpdate, change)
                }
                let removal = MemberRemoveRequest(conversation: conversation, user: user)
                _ = try owner.call(.memberRemove, removal, as: MemberReply.self)
                try guest.takeArrived()
                let count = guest.events.count
                let change = ConversationUpdateRequest(conversation: conversation, title: "late")
                _ = try owner.call(.conversationUpdate, change, as: ConversationReply.self)
                _ = try guest.call(.ping, as: PingReply.self)
                let late = guest.events.dropFirst(count).filter { event in
                    if case .conversationUpdated = event { true } else { false }
                }
                #expect(late.isEmpty)
            }
        }

        @Test("a sign-in revoked elsewhere closes its connection at once")
        func revocation() throws {
            let server = try SharedServer.server()
            let phone = try server.connect(try server.signIn("dee"))
            let sessions: SessionListReply = try phone.call(.sessionList)
            let session = try #require(sessions.sessions.first { $0.current == true }?.id)
            let request = SessionRevokeRequest(session: session)
            _ = try connect("dee").call(.sessionRevoke, request, as: EmptyReply.self)
            #expect(try phone.closeCode() == CloseCode.sessionEnded.rawValue)
        }

        @Test("metrics include all loops, and each loop has its lag")
        func figures() throws {
            let peers = try ["ada", "bo"].map { try connect($0) }
            let text = try SharedServer.server().get(
                "/metrics",
                headers: [.authorization: "Bearer a-token-for-metrics"]
            ).text
            func figure(_ name: String) throws -> Double {
                let lines = text.split(separator: "\n")
                let line = try #require(lines.first { $0.hasPrefix("\(name) ") })
                return try #require(Double(line.dropFirst(name.count + 1)))
            }
            #expect(try figure(#"stoa_connections{state="signed_in"}"#) >= Double(peers.count))
            #expect(try figure("stoa_connections_accepted_total") > Double(peers.count))
            #expect(try figure("stoa_received_bytes_total") > 0)
            #expect(try figure("stoa_sent_bytes_total") > 0)
            for loop in ["", #"{loop="1"}"#, #"{loop="2"}"#] {
                #expect(try figure("stoa_loop_lag_seconds_count\(loop)") > 0)
            }
        }

        @Test("all clients are asked to reconnect when the server shuts down")
        func orderlyShutdown() throws {
            let server = try StoaServer(["--loops", "3", "--drain-seconds", "4"])
            try server.addUser("ada")
            let token = try server.signIn("ada")
            let peers = try (0..<20).map { _ in try server.connect(token) }
            server.askToStop()
            for peer in peers {
                #expect(try peer.closeCode() == CloseCode.serviceRestart.rawValue)
            }
            #expect(try server.waitForEnd() == .exited(0), "\(server.log)")
        }
    }
}
