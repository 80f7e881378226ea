// The tree of messages, over the wire and in a terminal.

import ChatProtocol
import Testing

extension EndToEnd.OneServer {
    @Test("fifty clients and five concurrent askers: one order for all, nothing lost or repeated")
    func oneOrder() throws {
        let owner = try connect("ada")
        let conversation = try owner.createConversation()
        for user in tenPeople.dropFirst() {
            let request = MemberAddRequest(conversation: conversation, user: user)
            _ = try owner.call(.memberAdd, request, as: MemberReply.self)
        }
        let peers = try (0..<50).map { try connect(tenPeople[$0 % 10]) }
        var mirrors = try peers.map { try $0.watch(conversation) }
        var said: [String] = []
        for round in 0..<4 {
            for index in 0..<5 {
                let text = "What is \(round) + \(index)?"
                said.append(text)
                let request = MessageSendRequest(
                    conversation: conversation,
                    key: "fifty-\(round)-\(index)",
                    text: text
                )
                try peers[index].send(.messageSend, request)
            }
        }
        for index in peers.indices {
            try peers[index].follow(&mirrors[index], within: .seconds(120)) { mirror in
                mirror.order.count == 40
                    && mirror.order.allSatisfy { mirror.state(of: $0)?.isFinal == true }
            }
        }

        let stored = try owner.messages(of: conversation)
        #expect(stored.count == 40)
        #expect(stored.filter { $0.role == .user }.map(\.text).sorted() == said.sorted())
        // Each question follows the answer before it.
        for (message, next) in zip(stored, stored.dropFirst()) {
            #expect(next.parent == message.id)
        }
        for mirror in mirrors {
            #expect(mirror.order == mirrors[0].order)
            for message in stored { #expect(mirror.text(of: message.id) == message.text) }
        }
    }

    @Test("deleting a running answer frees its slot, and its end is not sent")
    func deletingWhatGrows() throws {
        let peer = try connect("eli")
        let conversation = try peer.createConversation()
        var mirror = try peer.watch(conversation)
        let sent = try peer.say("Tell me a long story.", in: conversation)
        let request = MessageDeleteRequest(
            conversation: conversation,
            message: sent.message.id
        )
        let gone = try peer.call(.messageDelete, request, as: MessageDeleteReply.self).messages
        #expect(gone == [sent.message.id, sent.answer.id])
        let next = try peer.say("What is 2 + 3?", in: conversation)
        #expect(next.message.parent == nil)
        try peer.follow(&mirror, until: next.answer.id)
        #expect(mirror.order == [next.message.id, next.answer.id])
    }

    @Test("an undone deletion is sent to all subscribers, who see the same as before")
    func restoring() throws {
        let (peer, other) = (try connect("eli"), try connect("fay"))
        let conversation = try peer.createConversation(settings: GenerationSettings(maxTokens: 4))
        let add = MemberAddRequest(conversation: conversation, user: "fay")
        _ = try peer.call(.memberAdd, add, as: MemberReply.self)
        var mirrors = (try peer.watch(conversation), try other.watch(conversation))
        let sent = try peer.say("What is 2 + 3?", in: conversation)
        try peer.follow(&mirrors.0, until: sent.answer.id)
        try other.follow(&mirrors.1, until: sent.answer.id)
        let before = try peer.messages(of: conversation)

        let delete = MessageDeleteRequest(conversation: conversation, message: sent.message.id)
        _ = try peer.call(.messageDelete, delete, as: MessageDeleteReply.self)
        try other.follow(&mirrors.1) { $0.order.isEmpty }
        let restore = MessageRestoreRequest(conversation: conversation, message: sent.message.id)
        #expect(try other.refusal(.messageRestore, restore) == .notFound, "she did not delete it")
        let back = try peer.call(.messageRestore, restore, as: MessageRestoreReply.self).messages
        #expect(back == [sent.message.id, sent.answer.id])
        func isToldOf(_ event: ServerEvent) -> Bool {
            if case .messageRestored(let body) = event { body.messages == back } else { false }
        }
        for watcher in [peer, other] {
            try eventually("it is told of") {
                if watcher.events.contains(where: isToldOf) { return true }
                return isToldOf(try watcher.nextEvent())
            }
            #expect(try watcher.messages(of: conversation) == before)
        }
        let again = try peer.call(.messageRestore, restore, as: MessageRestoreReply.self)
        #expect(again.messages.isEmpty)
    }

    @Test("an answer that was cut off is continued, beginning with its text")
    func continuing() throws {
        let peer = try connect("gus")
        let settings = GenerationSettings(temperature: 0, maxTokens: 12)
        let conversation = try peer.createConversation(settings: settings)
        var mirror = try peer.watch(conversation)
        let first = try peer.say("Tell me a long story.", in: conversation).answer.id
        try peer.follow(&mirror, until: first)
        let request = MessageAgainRequest(
            conversation: conversation,
            key: "continue",
            message: first
        )
        let reply = try peer.call(.messageContinue, request, as: MessageAnswerReply.self)
        let beginning = mirror.text(of: first)
        #expect(!beginning.isEmpty)
        #expect(reply.answer.continues == first)
        #expect(reply.answer.text == beginning)
        #expect(reply.answer.siblings == [first, reply.answer.id])
        try peer.follow(&mirror, until: reply.answer.id)

        let stored = try #require(peer.messages(of: conversation).last)
        #expect(stored.id == reply.answer.id)
        #expect(stored.text.hasPrefix(beginning))
        #expect(stored.text.utf8.count > beginning.utf8.count)
        #expect(stored.text == mirror.text(of: stored.id))
        let again = try peer.call(.messageContinue, request, as: MessageAnswerReply.self)
        #expect(again.answer.id == reply.answer.id)
    }

    @Test("a terminal can edit, regenerate, switch versions, copy and delete")
    func terminalBranches() throws {
        let server = try SharedServer.server()
        let peer = try connect("bo")
        let conversation = try peer.createConversation()
        let (end, output, errors) = try server.command(
            [
                "chat", "--server", server.origin, "--user", "bo", "--password-stdin",
                "\(conversation)",
            ],
            input: """
                \(server.password(of: "bo"))
                What is 2 + 3?
                /regenerate
                /edit What is 3 + 3?
                /branch
                /branch 1
                Tell me a joke.
                /fork A copy
                /delete

                """
        )
        #expect(end == .exited(0), "\(errors)")
        #expect(errors.contains("2 of 2: What is 3 + 3?"), "\(errors)")
        let branch = try peer.messages(of: conversation)
        #expect(branch.map(\.text).first == "What is 2 + 3?")
        #expect(branch.count == 4)
        #expect(branch[0].siblings?.count == 2)
        #expect(branch[1].siblings?.count == 2)
        #expect(branch[2].text == "Tell me a joke.")
        for message in branch where message.role == .assistant {
            #expect(output.contains(message.text), "\(output)")
        }
        let list: ConversationListReply = try peer.call(.conversationList)
        let copy = try #require(list.conversations.first { $0.title == "A copy" })
        let copied = try peer.messages(of: copy.id)
        #expect(copied.map(\.text) == branch.prefix(2).map(\.text))
    }
}
