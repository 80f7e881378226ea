// Models have no memory between answers: all context comes from the database.

import ChatProtocol
import FoundationEssentials
import Testing

extension EndToEnd.OneServer {
    @Test("a fact from four turns ago, before a restart, is known")
    func favouriteColour() throws {
        let server = try SharedServer.server()
        let conversation: ConversationID
        do {
            let peer = try connect("gus")
            conversation = try peer.createConversation()
            var mirror = try peer.watch(conversation)
            let told = try peer.ask("My favourite colour is teal.", in: conversation, &mirror)
            #expect(told.contains("teal"))
            for question in ["What is 2 + 3?", "What is the capital of Finland?"] {
                _ = try peer.ask(question, in: conversation, &mirror)
            }
        }
        #expect(try server.stop() == .exited(0))
        try server.start()
        let peer = try connect("gus")
        var mirror = try peer.watch(conversation)
        for question in ["What colour is the sky?", "Thanks!"] {
            _ = try peer.ask(question, in: conversation, &mirror)
        }
        let answer = try peer.ask("What is my favourite colour?", in: conversation, &mirror)
        #expect(answer.contains("teal"))
    }

    /// Stops a server after it has answered in a conversation.
    /// - Returns: the conversation, and the path of its KV cache pages.
    private func stopAfterAnswer(_ server: StoaServer) throws -> (ConversationID, file: String) {
        let conversation: ConversationID
        do {
            let peer = try connect("gus")
            conversation = try peer.createConversation()
            var mirror = try peer.watch(conversation)
            _ = try peer.ask("What is the capital of Finland?", in: conversation, &mirror)
        }
        #expect(try server.stop() == .exited(0))
        return (conversation, "\(server.dataDirectory)/kv/\(conversation).kv")
    }

    @Test("KV cache pages are reused after a restart, and deleted with their conversation")
    func cachePages() throws {
        let server = try SharedServer.server()
        let (conversation, file) = try stopAfterAnswer(server)
        #expect(FileManager.default.fileExists(atPath: file))
        // As if another node had deleted its conversation meanwhile.
        let stray = "\(server.dataDirectory)/kv/\(ConversationID.make()).kv"
        try Data("pages".utf8).write(to: URL(filePath: stray))
        try server.start()
        try eventually("pages of an unknown conversation go") {
            !FileManager.default.fileExists(atPath: stray)
        }
        do {
            let peer = try connect("gus")
            var mirror = try peer.watch(conversation)
            _ = try peer.ask("Thanks!", in: conversation, &mirror)
            let answer = try #require(try peer.messages(of: conversation).last)
            #expect(try #require(answer.usage).cachedTokens > 10)
            _ = try peer.call(
                .conversationDelete,
                ConversationRequest(conversation: conversation),
                as: EmptyReply.self
            )
        }
        #expect(try server.stop() == .exited(0))
        #expect(!FileManager.default.fileExists(atPath: file))
        try server.start()
    }

    @Test("KV cache pages with a deleted message are deleted at the next start after a crash")
    func cachePagesOfDeletedMessage() throws {
        let server = try SharedServer.server()
        let (conversation, file) = try stopAfterAnswer(server)
        let pages = try Data(contentsOf: URL(filePath: file))
        try server.start()
        do {
            let peer = try connect("gus")
            let question = try #require(try peer.messages(of: conversation).first)
            _ = try peer.call(
                .messageDelete,
                MessageDeleteRequest(conversation: conversation, message: question.id),
                as: MessageDeleteReply.self
            )
        }
        #expect(try server.stop() == .exited(0))
        #expect(!FileManager.default.fileExists(atPath: file))
        // As if the server had died between the deletion's commit and this.
        try pages.write(to: URL(filePath: file))
        try server.start()
        try eventually("pages of a conversation that lost a message go") {
            !FileManager.default.fileExists(atPath: file)
        }
    }

    @Test("a changed system prompt applies from the next message on")
    func systemPrompt() throws {
        let peer = try connect("gus")
        let conversation = try peer.createConversation(systemPrompt: "The secret word is swift.")
        var mirror = try peer.watch(conversation)
        let question = "What is the secret word?"
        #expect(try peer.ask(question, in: conversation, &mirror).contains("swift"))
        let change = ConversationUpdateRequest(
            conversation: conversation,
            systemPrompt: "Answer in upper case."
        )
        _ = try peer.call(.conversationUpdate, change, as: ConversationReply.self)
        let answer = try peer.ask("What is the capital of France?", in: conversation, &mirror)
        #expect(answer == answer.uppercased())
        #expect(answer.contains("PARIS"))
    }
}
