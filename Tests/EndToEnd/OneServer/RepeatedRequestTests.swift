// A client that does not know whether its request arrived repeats it with the same key.

import ChatProtocol
import Testing

extension EndToEnd.OneServer {
    @Test("a message repeated with its key is one message, also after a restart")
    func sendingAgain() throws {
        let server = try SharedServer.server()
        let peer = try connect("cy")
        let conversation = try peer.createConversation()
        let key = "the same key \(conversation)"
        let first = try peer.say("What is 2 + 3?", in: conversation, key: key)
        let again = try peer.say("What is 2 + 3?", in: conversation, key: key)
        let reconnected = try connect("cy").say("What is 2 + 3?", in: conversation, key: key)
        try server.kill()
        try server.start()
        let after = try connect("cy")
        let restarted = try after.say("What is 2 + 3?", in: conversation, key: key)

        for reply in [again, reconnected, restarted] {
            #expect(reply.message.id == first.message.id)
            #expect(reply.answer.id == first.answer.id)
            #expect(reply.n == first.n)
        }
        #expect(
            try after.messages(of: conversation).map(\.id) == [first.message.id, first.answer.id]
        )
    }

    @Test("a conversation created again with its key is one conversation")
    func creatingAgain() throws {
        let peer = try connect("cy")
        let request = ConversationCreateRequest(key: "made twice", title: "Once")
        let first: ConversationReply = try peer.call(.conversationCreate, request)
        let again: ConversationReply = try peer.call(.conversationCreate, request)
        #expect(first.conversation.id == again.conversation.id)
        let list: ConversationListReply = try peer.call(.conversationList)
        #expect(list.conversations.count { $0.title == "Once" } == 1)
    }

    @Test("the same key with another text is a conflict")
    func keyOfAnotherRequest() throws {
        let peer = try connect("cy")
        let conversation = try peer.createConversation()
        _ = try peer.say("Hello!", in: conversation, key: "taken \(conversation)")
        let other = MessageSendRequest(
            conversation: conversation,
            key: "taken \(conversation)",
            text: "Goodbye"
        )
        #expect(try peer.refusal(.messageSend, other) == .conflict)
        #expect(try peer.messages(of: conversation).count == 2)
    }

    @Test("two users may use the same key")
    func keysArePersonal() throws {
        let keys = try ["dee", "eli"].map { user in
            let peer = try connect(user)
            let conversation = try peer.createConversation()
            return try peer.say("Hello!", in: conversation, key: "common").message.id
        }
        #expect(keys[0] != keys[1])
    }
}
