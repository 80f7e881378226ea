// Permissions over the wire.

import ChatProtocol
import HTTPProtocol
import Testing

extension EndToEnd.OneServer {
    @Test("strangers see nothing of a conversation")
    func strangers() throws {
        let owner = try connect("hal")
        let conversation = try owner.createConversation(title: "Plans of the platypus")
        _ = try owner.say("Hello platypus!", in: conversation)
        let stranger = try connect("ivy")
        for request in [
            SearchRequest(query: "platypus"),
            SearchRequest(query: "platypus", conversation: conversation),
        ] {
            let found = try stranger.reply(to: stranger.send(.search, request))
            let results = try? found.get().decode(as: SearchReply.self).results
            #expect(results?.isEmpty ?? true)
        }
    }

    @Test("viewers see everything")
    func viewers() throws {
        let owner = try connect("hal")
        let conversation = try owner.createConversation()
        let add = MemberAddRequest(conversation: conversation, user: "ivy", role: .viewer)
        _ = try owner.call(.memberAdd, add, as: MemberReply.self)
        let sent = try owner.say("What is 2 + 3?", in: conversation)
        let viewer = try connect("ivy")
        var mirror = try viewer.watch(conversation)
        try viewer.follow(&mirror, until: sent.answer.id)
        #expect(mirror.text(of: sent.message.id) == "What is 2 + 3?")
        #expect(try owner.messages(of: conversation).count == 2)
    }

    @Test("a removed member sees nothing more")
    func removed() throws {
        let owner = try connect("hal")
        let conversation = try owner.createConversation()
        let add = MemberAddRequest(conversation: conversation, user: "jo")
        let members = try owner.call(.memberAdd, add, as: MemberReply.self).members
        let user = try #require(members.first { $0.user.name == "jo" }?.user.id)
        let guest = try connect("jo")
        _ = try guest.watch(conversation)
        let remove = MemberRemoveRequest(conversation: conversation, user: user)
        _ = try owner.call(.memberRemove, remove, as: MemberReply.self)
        _ = try owner.say("Now we are alone.", in: conversation)

        let request = ConversationRequest(conversation: conversation)
        #expect(try guest.refusal(.conversationGet, request) == .notFound)
        for event in guest.events {
            if case .messageCreated = event { Issue.record("told of \(event)") }
        }
    }

    @Test("a deleted conversation is gone for all members")
    func deleted() throws {
        let owner = try connect("hal")
        let conversation = try owner.createConversation()
        _ = try owner.say("Tell me a long story.", in: conversation)
        let request = ConversationRequest(conversation: conversation)
        _ = try owner.call(.conversationDelete, request, as: EmptyReply.self)
        #expect(try owner.refusal(.conversationGet, request) == .notFound)
        let list: ConversationListReply = try owner.call(.conversationList)
        #expect(!list.conversations.contains { $0.id == conversation })
    }
}
