// Seeds and stop strings, from the request over the wire to the receipt.

import ChatProtocol
import FoundationEssentials
import HTTPProtocol
import TestSupport
import Testing

/// A conversation of one user, and what its answers were.
private struct SettingScene {
    let peer: Peer
    let conversation: ConversationID
    private var mirror: Mirror

    init(_ peer: Peer, _ settings: GenerationSettings) throws {
        self.peer = peer
        conversation = try peer.createConversation(settings: settings)
        mirror = try peer.watch(conversation)
    }

    mutating func update(_ settings: GenerationSettings) throws {
        let request = ConversationUpdateRequest(conversation: conversation, settings: settings)
        let reply = try peer.call(.conversationUpdate, request, as: ConversationReply.self)
        #expect(reply.conversation.settings == settings)
    }

    mutating func ask(_ text: String) throws -> Message {
        try answer(peer.say(text, in: conversation).answer.id)
    }

    mutating func again(
        _ operation: ChatProtocol.Operation<MessageAgainRequest, MessageAnswerReply>,
        _ message: MessageID
    ) throws -> Message {
        let request = MessageAgainRequest(
            conversation: conversation,
            key: UUID().uuidString,
            message: message
        )
        return try answer(peer.call(operation, request, as: MessageAnswerReply.self).answer.id)
    }

    private mutating func answer(_ id: MessageID) throws -> Message {
        try peer.follow(&mirror, until: id)
        let message = try #require(peer.messages(of: conversation).first { $0.id == id })
        #expect(mirror.text(of: id) == message.text)
        return message
    }
}

/// An update whose settings are any.
private struct UnknownSettings: Encodable {
    let conversation: ConversationID
    let settings: [String: Int]
}

extension EndToEnd.OneServer {
    private func receipt(of answer: Message) throws -> String {
        let token = try #require(SharedServer.tokens["gus"])
        return try SharedServer.server().get(
            "/api/v1/conversations/\(answer.conversation)/messages/\(answer.id)/receipt",
            headers: [.authorization: "Bearer \(token)"]
        ).text.filter { !$0.isWhitespace }
    }

    @Test("a seed gives the same answer again, another seed another one, and the receipt names it")
    func seeds() throws {
        let wild = GenerationSettings(temperature: 2, maxTokens: 24, seed: 7)
        var scene = try SettingScene(connect("gus"), wild)
        let first = try scene.ask("Tell me a long story.")
        #expect(try receipt(of: first).contains("\"seed\":7"))
        let same = try scene.again(.messageRegenerate, first.id)
        #expect(same.text == first.text)
        var other = wild
        other.seed = GenerationSettings.seedRange.upperBound
        try scene.update(other)
        let another = try scene.again(.messageRegenerate, first.id)
        #expect(another.text != first.text)
        #expect(try receipt(of: another).contains("\"seed\":9007199254740991"))
        // The whole answer of a longer limit begins as the short one did.
        var longer = wild
        longer.maxTokens = 40
        try scene.update(longer)
        #expect(try scene.again(.messageRegenerate, first.id).text.hasPrefix(first.text))
    }

    @Test("an answer ends before a stop string, with the receipt of a run that can be repeated")
    func stopStrings() throws {
        var scene = try SettingScene(connect("gus"), GenerationSettings())
        let whole = try scene.ask("What is the capital of Finland?")
        let middle = whole.text.index(whole.text.startIndex, offsetBy: whole.text.count / 2)
        // From within one token to within another.
        let stop = String(whole.text[middle...].prefix(5))
        try scene.update(GenerationSettings(stop: ["never said", stop]))
        let cut = try scene.again(.messageRegenerate, whole.id)
        #expect(cut.text == whole.text[..<(whole.text.firstRange(of: stop)?.lowerBound ?? middle)])
        #expect(cut.state == .complete && cut.finish == .stop)
        let receipt = try receipt(of: cut)
        #expect(receipt.contains("\"stop_strings\":[\"neversaid\","), "\(receipt)")
        let server = try SharedServer.server()
        let replayed = try server.command(
            ["replay", "\(cut.id)", "--run", "--data-dir", server.dataDirectory]
        )
        #expect(replayed.end == .exited(0), "\(replayed.errors)")
        #expect(replayed.output.hasPrefix("the same "))
    }

    @Test("a continued answer is repeated from its receipt, with seed and stop strings")
    func repeatingContinued() throws {
        let settings = GenerationSettings(temperature: 1, maxTokens: 6, seed: 3, stop: ["\n\n\n"])
        var scene = try SettingScene(connect("gus"), settings)
        let short = try scene.ask("Tell me a long story.")
        try #require(short.finish == .length)
        let longer = try scene.again(.messageContinue, short.id)
        #expect(longer.text.hasPrefix(short.text) && longer.text != short.text)
        let server = try SharedServer.server()
        let replayed = try server.command(
            ["replay", "\(longer.id)", "--run", "--data-dir", server.dataDirectory]
        )
        #expect(replayed.end == .exited(0), "\(replayed.output) \(replayed.errors)")
    }

    @Test("an unknown setting is refused by its name, and one out of bounds with them")
    func refusedSettings() throws {
        let peer = try connect("gus")
        let conversation = try peer.createConversation()
        func message(_ settings: [String: Int]) throws -> String {
            let request = UnknownSettings(conversation: conversation, settings: settings)
            let id = try peer.send(.conversationUpdate, request)
            guard case .failure(let error) = try peer.reply(to: id) else { return "granted" }
            #expect(error.code == .badRequest)
            return error.message
        }
        #expect(try message(["seedd": 7]).hasPrefix("settings.seedd is an unknown field"))
        #expect(try message(["seed": -1]) == "seed must be 0 to 9007199254740991")
    }
}
