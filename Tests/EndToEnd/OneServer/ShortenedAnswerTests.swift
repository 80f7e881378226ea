// Answers for which a budget leaves less room than they may take.

import ChatProtocol
import FoundationEssentials
import HTTPProtocol
import Testing

extension EndToEnd.OneServer {
    @Test(
        "with few tokens left an answer is shortened, and request, page of messages and receipt say so"
    )
    func shortenedAnswers() throws {
        let server = try SharedServer.server()
        try server.addUser("ned")
        let token = try server.signIn("ned")
        let ned = try server.connect(token)
        let whole = try askForStory(of: ned, maxTokens: 400)
        #expect(whole.reply.shortenedTo == nil)
        let reserved = try #require(whole.reply.reserved)
        let charged = Int64(try #require(whole.answer.usage?.chargedTokens))

        // The same question again, with room for 20 tokens instead of 400.
        try limitPerDay(ned: charged + reserved - 380)
        let short = try askForStory(of: ned, maxTokens: 400)
        #expect(short.reply.shortenedTo == 20)
        #expect(short.reply.reserved == reserved - 380)
        #expect(short.answer.finish == .length)
        #expect(short.answer.usage?.completionTokens == 20)
        #expect(short.answer.usage?.shortenedTo == 20)
        #expect(whole.answer.text.hasPrefix(short.answer.text))
        let receipt = try server.get(
            "/api/v1/conversations/\(short.answer.conversation)/messages/\(short.answer.id)/receipt",
            headers: [.authorization: "Bearer \(token)"]
        ).text.filter { !$0.isWhitespace }
        #expect(receipt.contains("\"shortened_to\":20"), "\(receipt)")

        // With room for fewer tokens than are of use it is refused, and nothing is stored.
        let both = charged + Int64(try #require(short.answer.usage?.chargedTokens))
        try limitPerDay(ned: both + reserved - 390)
        let conversation = try ned.createConversation(settings: GenerationSettings(maxTokens: 400))
        let request = MessageSendRequest(conversation: conversation, key: "k", text: Self.question)
        #expect(try ned.refusal(.messageSend, request) == .budgetExceeded)
        #expect(try ned.messages(of: conversation).isEmpty)
    }

    private static let question = "Tell me a long story."

    private func askForStory(
        of peer: Peer,
        maxTokens: Int
    ) throws -> (reply: MessageSendReply, answer: Message) {
        let settings = GenerationSettings(maxTokens: maxTokens)
        let conversation = try peer.createConversation(settings: settings)
        var mirror = try peer.watch(conversation)
        let reply = try peer.say(Self.question, in: conversation)
        try peer.follow(&mirror, until: reply.answer.id)
        return (reply, try #require(peer.messages(of: conversation).last))
    }

    private func limitPerDay(ned tokens: Int64) throws {
        let root = try connect(administrator)
        let found: UserListReply = try root.call(.userList, UserListRequest(query: "ned"))
        let user = try #require(found.users.first { $0.name == "ned" })
        let request = BudgetSetRequest(user: user.id, daily: tokens)
        _ = try root.call(.budgetSet, request, as: EmptyReply.self)
    }
}
