// The demo model in programs of others, behind Stoa. `make setup-engines` installs them.

import ChatProtocol
import FoundationEssentials
import TestSupport
import Testing

extension EndToEnd.WithServersOfTheirOwn {
    @Suite(
        "Real engines",
        .enabled(if: RealEngine.folder != nil, "needs engines: make setup-engines installs them")
    )
    struct RealEngines {
        private static let settings = GenerationSettings(temperature: 0, maxTokens: 60)

        private func ask(
            _ questions: [String],
            of model: String?,
            by peer: Peer
        ) throws -> [Message] {
            var request = ConversationCreateRequest(
                key: UUID().uuidString,
                systemPrompt: "You are friendly.",
                settings: Self.settings
            )
            request.model = model
            let conversation = try peer.call(.conversationCreate, request).conversation.id
            var mirror = try peer.watch(conversation)
            for question in questions { _ = try peer.ask(question, in: conversation, &mirror) }
            return try peer.messages(of: conversation).filter { $0.role == .assistant }
        }

        @Test(
            "a program of others gives the same answers as Stoa",
            arguments: RealEngine.Kind.allCases
        )
        func answers(kind: RealEngine.Kind) throws {
            let engine = try RealEngine(kind)
            let server = try StoaServer(["--titles", "off", "--remote-engine", engine.setting])
            try server.addUser("ada", isAdmin: true)
            let token = try server.signIn("ada")
            let ada = try server.connect(token)
            let questions = ["What is 2 + 3?", "Tell me a story.", "Who are you?"]
            let own = try ask(questions, of: nil, by: ada)
            let remote = try ask(questions, of: "remote", by: ada)
            #expect(remote.map(\.text) == own.map(\.text))
            #expect(remote.map(\.state) == own.map(\.state))
            // The other one tells no usage of what it streams.
            for (expected, answer) in zip(own, remote) where kind == .mlx {
                #expect(answer.usage?.promptTokens == expected.usage?.promptTokens)
            }
            let engines = try ada.call(.engineList).engines
            #expect(engines.first?.kind?.hasPrefix(kind.rawValue) == true)
            #expect(engines.first?.failed == 0)
            withExtendedLifetime(engine) {}
        }

        @Test("a stop request ends an answer there", arguments: RealEngine.Kind.allCases)
        func stop(kind: RealEngine.Kind) throws {
            let engine = try RealEngine(kind)
            let server = try StoaServer(["--titles", "off", "--remote-engine", engine.setting])
            try server.addUser("ada")
            let ada = try server.connect(server.signIn("ada"))
            var request = ConversationCreateRequest(
                key: "1",
                settings: GenerationSettings(temperature: 1, maxTokens: 1500)
            )
            request.model = "remote"
            let conversation = try ada.call(.conversationCreate, request).conversation.id
            var mirror = try ada.watch(conversation)
            let answer = try ada.say("Tell me a long story.", in: conversation).answer.id
            try ada.follow(&mirror) { !$0.text(of: answer).isEmpty }
            let stop = GenerationStopRequest(message: answer)
            let _: GenerationStopReply = try ada.call(.generationStop, stop)
            try ada.follow(&mirror, until: answer)
            #expect(!mirror.text(of: answer).isEmpty)
            // Its slot is free: the next answer comes.
            #expect(try !ask(["Hello!"], of: "remote", by: ada)[0].text.isEmpty)
            withExtendedLifetime(engine) {}
        }
    }
}
