// Three servers on one PostgreSQL: clients may use any of them, and change between them.

import ChatProtocol
import TestSupport
import Testing

extension EndToEnd.SeveralServers {
    @Suite("Several nodes")
    struct SeveralNodes {
        /// Three nodes, and the token of a user.
        private func nodes(_ arguments: [String] = []) throws -> ([StoaServer], token: String) {
            let arguments = ["--lease-seconds", "3", "--slots", "1"] + arguments
            let first = try StoaServer(arguments)
            try first.addUser("ada")
            let others = try (1..<3).map { _ in try StoaServer(beside: first, arguments) }
            return ([first] + others, try first.signIn("ada"))
        }

        @Test(
            "subscribers on all nodes receive the text of the same answers",
            arguments: [[], ["--database-listen-url", "none"]]
        )
        func sameBytes(arguments: [String]) throws {
            let (nodes, token) = try nodes(arguments)
            defer { withExtendedLifetime(nodes) {} }
            let peers = try nodes.map { try $0.connect(token) }
            let conversation = try peers[0].createConversation()
            var mirrors = try peers.map { try $0.watch(conversation) }
            // The asker and the node make no difference. What another node generates within a tenth
            // of a second may arrive in one delta: then the test repeats.
            var count = 0
            while count < 3 || count < 12 && mirrors.contains(where: { $0.deltaCount == 0 }) {
                let peer = peers[count % peers.count]
                let answer = try peer.say("Tell me a long story.", in: conversation).answer
                for index in peers.indices {
                    try peers[index].follow(&mirrors[index], until: answer.id)
                    #expect(mirrors[index].state(of: answer.id) == .complete)
                }
                count += 1
            }
            let stored = try peers[0].messages(of: conversation)
            #expect(stored.count == 2 * count)
            for mirror in mirrors {
                #expect(mirror.deltaCount > 0, "nothing was seen to grow")
                #expect(mirror.order == stored.map(\.id))
                for message in stored { #expect(mirror.text(of: message.id) == message.text) }
            }
        }

        @Test("a client that reconnects to another node each time misses nothing")
        func changingNodes() throws {
            let (nodes, token) = try nodes()
            defer { withExtendedLifetime(nodes) {} }
            var peer = try nodes[0].connect(token)
            let conversation = try peer.createConversation()
            var mirror = try peer.watch(conversation)
            let answers = try ["Tell me a long story.", "What is 2 + 3?"].map {
                try peer.say($0, in: conversation).answer.id
            }
            var hop = 0
            while !answers.allSatisfy({ mirror.state(of: $0)?.isFinal == true }) {
                hop += 1
                try #require(hop < 500)
                peer = try nodes[hop % nodes.count].connect(token)
                try peer.watchAgain(conversation, &mirror)
                for _ in 0..<3 where mirror.state(of: answers[1])?.isFinal != true {
                    try mirror.take(peer.nextEvent())
                }
            }
            let stored = try peer.messages(of: conversation)
            for message in stored { #expect(mirror.text(of: message.id) == message.text) }
        }

        @Test("a killed node's answer is taken over, and its subscribers on other nodes stay")
        func takeover() throws {
            let (nodes, token) = try nodes()
            defer { withExtendedLifetime(nodes) {} }
            let peers = try nodes.map { try $0.connect(token) }
            let conversation = try peers[0].createConversation()
            var mirrors = try peers.dropFirst().map { try $0.watch(conversation) }
            // An idle node runs the answers that it is asked for.
            let answer = try peers[0].say("Tell me a long story.", in: conversation).answer.id
            try peers[1].follow(&mirrors[0]) { !$0.text(of: answer).isEmpty }
            try nodes[0].kill()
            for index in mirrors.indices {
                try peers[index + 1].follow(&mirrors[index], until: answer)
            }
            let stored = try peers[1].messages(of: conversation)
            #expect(stored.map(\.state) == [.complete, .complete])
            for mirror in mirrors { #expect(mirror.text(of: answer) == stored[1].text) }
        }

        @Test("any node can stop an answer, wherever it runs")
        func stopping() throws {
            let (nodes, token) = try nodes()
            defer { withExtendedLifetime(nodes) {} }
            let peers = try nodes.map { try $0.connect(token) }
            let conversation = try peers[0].createConversation()
            var mirror = try peers[2].watch(conversation)
            // It may end before the stop request reaches its node: then the test repeats.
            var state: MessageState?
            for _ in 0..<8 where state != .stopped {
                let answer = try peers[0].say("Tell me a long story.", in: conversation).answer.id
                let request = GenerationStopRequest(message: answer)
                _ = try peers[1].call(.generationStop, request, as: GenerationStopReply.self)
                try peers[2].follow(&mirror, until: answer)
                state = mirror.state(of: answer)
            }
            #expect(state == .stopped)
        }

        @Test("a user who deletes their account is disconnected on all nodes within a second")
        func deletedAccount() throws {
            let folder = try TemporaryFolder()
            // The model never loads: answers stay queued until they are cancelled.
            let gate = "\(folder.path)/gate"
            _ = try EndToEnd.WithServersOfTheirOwn.TheModels.makeGate(at: gate)
            let (nodes, token) = try nodes(["--model", gate])
            defer { withExtendedLifetime((nodes, folder)) {} }
            try nodes[0].addUser("bo")
            let bo = try nodes[1].signIn("bo")
            let (here, elsewhere) = (try nodes[1].connect(bo), try nodes[2].connect(bo))
            let owner = try nodes[0].connect(token)
            let wrong = AccountDeleteRequest(password: "not that one")
            #expect(try here.refusal(.accountDelete, wrong) == .wrongCredentials)
            #expect(try here.refusal(.accountDelete, AccountDeleteRequest()) == .badRequest)
            let conversation = try owner.createConversation()
            let added = MemberAddRequest(conversation: conversation, user: "bo")
            _ = try owner.call(.memberAdd, added, as: MemberReply.self)
            var mirror = try owner.watch(conversation)
            let answer = try here.say("Tell me a long story.", in: conversation).answer.id
            let right = AccountDeleteRequest(password: nodes[1].password(of: "bo"))
            _ = try here.call(.accountDelete, right, as: EmptyReply.self)
            #expect(try elsewhere.closeCode() == CloseCode.sessionEnded.rawValue)
            #expect(try here.closeCode() == CloseCode.sessionEnded.rawValue)
            try owner.follow(&mirror, until: answer)
            #expect(mirror.state(of: answer) == .stopped)
            #expect(throws: HarnessError.self) { _ = try nodes[2].signIn("bo") }
            let said = try owner.messages(of: conversation)
            #expect(said.first?.author?.name == "deleted user")
            try nodes[2].addUser("bo")
            let next = try nodes[1].connect(nodes[1].signIn("bo"))
            let request = ConversationRequest(conversation: conversation)
            #expect(try next.refusal(.conversationGet, request) == .notFound)
            let delay = try shortestDelay(below: .seconds(1)) { count in
                try closingDelay(of: "guest\(count)", nodes)
            }
            #expect(delay < .seconds(1))
        }

        /// The delay from an account's deletion on one node until its connection to another is
        /// closed.
        private func closingDelay(of name: String, _ nodes: [StoaServer]) throws -> Duration {
            try nodes[0].addUser(name)
            let token = try nodes[1].signIn(name)
            let (here, elsewhere) = (try nodes[1].connect(token), try nodes[2].connect(token))
            let request = AccountDeleteRequest(password: nodes[1].password(of: name))
            _ = try here.call(.accountDelete, request, as: EmptyReply.self)
            let begin = ContinuousClock.now
            #expect(try elsewhere.closeCode() == CloseCode.sessionEnded.rawValue)
            return ContinuousClock.now - begin
        }

        @Test("a removed member, or a deletion, on one node takes effect on all nodes")
        func removedMembers() throws {
            let (nodes, token) = try nodes()
            defer { withExtendedLifetime(nodes) {} }
            try nodes[0].addUser("bo")
            let owner = try nodes[0].connect(token)
            let guest = try nodes[1].connect(nodes[1].signIn("bo"))
            let conversation = try owner.createConversation()
            let added = MemberAddRequest(conversation: conversation, user: "bo")
            let members = try owner.call(.memberAdd, added, as: MemberReply.self).members
            let bo = try #require(members.first { $0.user.name == "bo" }).user.id
            var mirror = try guest.watch(conversation)
            let removed = MemberRemoveRequest(conversation: conversation, user: bo)
            _ = try owner.call(.memberRemove, removed, as: MemberReply.self)
            let n = mirror.n
            try guest.follow(&mirror) { $0.n > n }
            try eventually("the watch has ended") {
                let request = ConversationWatchRequest(conversation: conversation)
                return try guest.refusal(.conversationWatch, request) == .notFound
            }
            // Bo must not receive events from now on.
            let answer = try owner.say("What is 2 + 3?", in: conversation).answer.id
            var own = try owner.watch(conversation)
            try owner.follow(&own, until: answer)
            let told = guest.events.compactMap(\.n)
            #expect(told.allSatisfy { $0 <= mirror.n })

            let watcher = try nodes[2].connect(token)
            var other = try watcher.watch(conversation)
            let empty = ConversationRequest(conversation: conversation)
            _ = try owner.call(.conversationDelete, empty, as: EmptyReply.self)
            let last = other.n
            try watcher.follow(&other) { $0.n > last }
        }
    }
}
