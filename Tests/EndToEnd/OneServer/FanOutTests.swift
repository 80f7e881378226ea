// All subscribers of a conversation get the same text, byte for byte.

import ChatProtocol
import Testing

extension EndToEnd.OneServer {
    @Test("ten users in one conversation each get every byte of the answer")
    func everybodyGetsEveryByte() throws {
        let peers = try tenPeople.map { try connect($0) }
        let owner = peers[0]
        let conversation = try owner.createConversation()
        for user in tenPeople.dropFirst() {
            let request = MemberAddRequest(conversation: conversation, user: user)
            _ = try owner.call(.memberAdd, request, as: MemberReply.self)
        }
        var mirrors = try peers.map { try $0.watch(conversation) }
        let answer = try owner.say("Tell me a long story.", in: conversation).answer.id
        for index in peers.indices {
            try peers[index].follow(&mirrors[index], until: answer)
        }

        let stored = try #require(owner.messages(of: conversation).first { $0.id == answer })
        #expect(stored.state == .complete)
        #expect(stored.text.utf8.count > 500, "no long story: \(stored.text)")
        for (user, mirror) in zip(tenPeople, mirrors) {
            #expect(Array(mirror.text(of: answer).utf8) == Array(stored.text.utf8), "\(user)")
            #expect(mirror.state(of: answer) == .complete, "\(user)")
            #expect(mirror.deltaCount > 1, "\(user) saw nothing grow")
        }
    }

    @Test(
        "a slow consumer has the exact text in the end, in fewer deltas than others"
    )
    func slowConsumer() throws {
        let owner = try connect("ada")
        let conversation = try owner.createConversation()
        let request = MemberAddRequest(conversation: conversation, user: "bo", role: .viewer)
        _ = try owner.call(.memberAdd, request, as: MemberReply.self)
        let readers = try (0..<20).map { _ in try connect("ada") }
        var mirrors = try readers.map { try $0.watch(conversation) }
        let token = try #require(SharedServer.tokens["bo"])
        let slowConsumer = try Peer(SharedServer.server(), token: token, isNarrow: true)
        var late = try slowConsumer.watch(conversation)

        // More than the kernel buffers and than a fast consumer ever has queued.
        for number in 10..<20 {
            let change = ConversationUpdateRequest(
                conversation: conversation,
                systemPrompt: String(repeating: "\(number) ", count: 32 << 10)
            )
            _ = try owner.call(.conversationUpdate, change, as: ConversationReply.self)
        }
        let last = ConversationUpdateRequest(conversation: conversation, usesServerPrompt: true)
        let n = try owner.call(.conversationUpdate, last, as: ConversationReply.self).conversation.n
        for index in readers.indices {
            try readers[index].follow(&mirrors[index]) { $0.n >= n }
        }
        let answer = try owner.say("Tell me a long story.", in: conversation).answer.id
        for index in readers.indices {
            try readers[index].follow(&mirrors[index], until: answer)
        }
        try slowConsumer.follow(&late, until: answer)

        let stored = try #require(owner.messages(of: conversation).first { $0.id == answer })
        #expect(stored.text.utf8.count > 500, "no long story: \(stored.text)")
        for mirror in mirrors + [late] {
            #expect(Array(mirror.text(of: answer).utf8) == Array(stored.text.utf8))
        }
        #expect(late.deltaCount < mirrors[0].deltaCount)
    }

    @Test("a subscriber who joins during an answer gets all of it")
    func joiningInTheMiddle() throws {
        let early = try connect("ada")
        let late = try connect("bo")
        let conversation = try early.createConversation()
        let request = MemberAddRequest(conversation: conversation, user: "bo", role: .viewer)
        _ = try early.call(.memberAdd, request, as: MemberReply.self)
        var mirror = try early.watch(conversation)
        let answer = try early.say("Write a long story.", in: conversation).answer.id
        try early.follow(&mirror) { !$0.text(of: answer).isEmpty }

        var lateMirror = try late.watch(conversation)
        try late.follow(&lateMirror, until: answer)
        try early.follow(&mirror, until: answer)
        #expect(mirror.state(of: answer) == .complete)
        #expect(lateMirror.text(of: answer) == mirror.text(of: answer))
    }

    @Test("watch requests for one conversation are answered in the order of the requests")
    func watchesInOrder() throws {
        let peer = try connect("ada")
        let conversation = try peer.createConversation()
        var mirror = try peer.watch(conversation)
        let answer = try peer.say("Hello!", in: conversation).answer.id
        try peer.follow(&mirror, until: answer)
        // A snapshot takes longer to read than the last events, and would be overtaken if not
        // ordered.
        let requests = try (0..<10).flatMap { _ in
            [
                try peer.send(
                    .conversationWatch,
                    ConversationWatchRequest(conversation: conversation)
                ),
                try peer.send(
                    .conversationWatch,
                    ConversationWatchRequest(conversation: conversation, after: 3)
                ),
            ]
        }
        for request in requests { _ = try peer.reply(to: request).get() }
        #expect(peer.answered.suffix(requests.count) == requests.map(Optional.some)[...])
    }

    @Test("a client that was offline gets what it missed, and nothing twice")
    func catchingUp() throws {
        let token = try #require(SharedServer.tokens["ada"])
        var mirror: Mirror
        let conversation: ConversationID
        let answers: [MessageID]
        do {
            let peer = try connect("ada")
            conversation = try peer.createConversation()
            mirror = try peer.watch(conversation)
            let texts = ["Tell me a long story.", "What is 2 + 3?"]
            answers = try texts.map { try peer.say($0, in: conversation).answer.id }
            try peer.follow(&mirror) { !$0.text(of: answers[0]).isEmpty }
        }
        let peer = try SharedServer.server().connect(token)
        try peer.watchAgain(conversation, &mirror)
        try peer.follow(&mirror, until: answers[1])
        let stored = try peer.messages(of: conversation)
        #expect(mirror.order == stored.map(\.id))
        for message in stored { #expect(mirror.text(of: message.id) == message.text) }
    }
}
