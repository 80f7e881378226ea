// Who may do what, as the wire shows it.

import ChatProtocol
import HTTPProtocol
import Testing

extension EndToEnd.OneServer {
    /// Each operation that names a conversation or a message, as JSON fields.
    private static func operations(
        on conversation: ConversationID,
        _ message: MessageID,
        _ user: UserID
    ) -> [(Operation, [String: String])] {
        let place = "\(conversation)"
        return [
            (.conversationGet, ["conversation": place]),
            (.conversationUpdate, ["conversation": place, "title": "mine now"]),
            (.conversationDelete, ["conversation": place]),
            (.conversationWatch, ["conversation": place]),
            (.memberAdd, ["conversation": place, "user": "ivy"]),
            (.memberRemove, ["conversation": place, "user": "\(user)"]),
            (.messageList, ["conversation": place]),
            (.messageSend, ["conversation": place, "key": "stranger", "text": "Hello!"]),
            (
                .messageEdit,
                ["conversation": place, "key": "e", "message": "\(message)", "text": "Hello!"]
            ),
            (
                .messageRegenerate,
                ["conversation": place, "key": "r", "message": "\(message)"]
            ),
            (
                .messageContinue, ["conversation": place, "key": "c", "message": "\(message)"]
            ),
            (.messageSelect, ["conversation": place, "message": "\(message)"]),
            (.messageDelete, ["conversation": place, "message": "\(message)"]),
            (.messageFeedback, ["conversation": place, "message": "\(message)"]),
            (
                .conversationFork, ["conversation": place, "key": "f", "message": "\(message)"]
            ),
            (.generationStop, ["message": "\(message)"]),
        ]
    }

    @Test("to strangers a conversation does not exist")
    func strangers() throws {
        let owner = try connect("hal")
        let conversation = try owner.createConversation(title: "Plans of the platypus")
        let sent = try owner.say("Hello platypus!", in: conversation)
        let user = try #require(sent.message.author?.id)
        let stranger = try connect("ivy")
        for (operation, fields) in Self.operations(on: conversation, sent.answer.id, user) {
            let code = try stranger.refusal(operation, fields)
            #expect(code == .notFound, "\(operation.rawValue)")
        }
        for request in [
            SearchRequest(query: "platypus"),
            SearchRequest(query: "platypus", conversation: conversation),
        ] {
            let found = try stranger.reply(to: stranger.send(.search, request))
            let results = try? found.get().decode(as: SearchReply.self).results
            #expect(results?.isEmpty ?? true)
        }
        let token = try #require(SharedServer.tokens["ivy"])
        let export = try SharedServer.server().get(
            "/api/v1/conversations/\(conversation)/export",
            headers: [.authorization: "Bearer \(token)"]
        )
        #expect(export.status == 404)
        let answer = try owner.call(
            .conversationGet,
            ConversationRequest(conversation: conversation),
            as: ConversationReply.self
        )
        #expect(answer.conversation.title == "Plans of the platypus")
        #expect(answer.conversation.members.count == 1)
    }

    @Test("viewers read everything and write nothing")
    func viewers() throws {
        let owner = try connect("hal")
        let conversation = try owner.createConversation()
        let add = MemberAddRequest(conversation: conversation, user: "ivy", role: .viewer)
        _ = try owner.call(.memberAdd, add, as: MemberReply.self)
        let sent = try owner.say("What is 2 + 3?", in: conversation)
        let user = try #require(sent.message.author?.id)

        let viewer = try connect("ivy")
        var mirror = try viewer.watch(conversation)
        try viewer.follow(&mirror, until: sent.answer.id)
        #expect(mirror.text(of: sent.message.id) == "What is 2 + 3?")
        let readOnly: Set<Operation> = [
            .conversationGet, .conversationWatch, .conversationFork, .messageList, .messageSelect,
        ]
        for (operation, fields) in Self.operations(on: conversation, sent.answer.id, user) {
            let code = try viewer.refusal(operation, fields)
            #expect(
                code == (readOnly.contains(operation) ? nil : .forbidden),
                "\(operation.rawValue)"
            )
        }
        #expect(try owner.messages(of: conversation).count == 2)
    }

    @Test("who is removed sees nothing more")
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

    @Test("a deleted conversation is gone for everybody")
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
