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
        /// Answers that go on for a while.
        private static let long = GenerationSettings(temperature: 2, maxTokens: 1500)

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

        /// A server before `engines`, and an administrator's connection.
        private func site(_ engines: RealEngine...) throws -> (StoaServer, Peer) {
            let words = engines.flatMap { ["--remote-engine", $0.setting] }
            let server = try StoaServer(["--titles", "off"] + words)
            try server.addUser("ada", isAdmin: true)
            return (server, try server.connect(server.signIn("ada")))
        }

        @Test(
            "a program of others gives the same answers as Stoa",
            arguments: RealEngine.Kind.available
        )
        func answers(kind: RealEngine.Kind) throws {
            let engine = try RealEngine(kind)
            let (server, ada) = try site(engine)
            let questions = ["What is 2 + 3?", "Tell me a story.", "Who are you?"]
            let own = try ask(questions, of: nil, by: ada)
            let remote = try ask(questions, of: "remote", by: ada)
            #expect(remote.map(\.text) == own.map(\.text))
            #expect(remote.map(\.state) == own.map(\.state))
            for (expected, answer) in zip(own, remote) where kind.tellsUsage {
                #expect(answer.usage?.promptTokens == expected.usage?.promptTokens)
            }
            let engines = try ada.call(.engineList).engines
            #expect(engines.first?.kind?.hasPrefix(kind.rawValue) == true)
            #expect(engines.first?.failed == 0)
            if kind.takesTokens { #expect(engines.first?.contextLength == 2048) }
            withExtendedLifetime((engine, server)) {}
        }

        @Test("a stop request ends an answer there", arguments: RealEngine.Kind.available)
        func stop(kind: RealEngine.Kind) throws {
            let engine = try RealEngine(kind)
            let (server, ada) = try site(engine)
            var request = ConversationCreateRequest(key: "1", settings: Self.long)
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
            withExtendedLifetime((engine, server)) {}
        }

        @Test(
            "the load of each of two engines is read from its metrics",
            arguments: RealEngine.Kind.available.filter(\.tellsLoad)
        )
        func load(kind: RealEngine.Kind) throws {
            let engines = [try RealEngine(kind), try RealEngine(kind)]
            let (server, ada) = try site(engines[0], engines[1])
            try eventually("both loads are known", within: .seconds(60)) {
                // They are read when an answer chooses between engines that are known.
                _ = try ask(["Hello!"], of: "remote", by: ada)
                return try ada.call(.engineList).engines.allSatisfy { $0.runningThere != nil }
            }
            withExtendedLifetime((engines, server)) {}
        }

        @Test(
            "an answer whose engine dies goes on in another one, after the text so far",
            arguments: RealEngine.Kind.available.filter(\.takesTokens)
        )
        func death(kind: RealEngine.Kind) throws {
            let engines = [try RealEngine(kind), try RealEngine(kind)]
            let (server, ada) = try site(engines[0], engines[1])
            var request = ConversationCreateRequest(key: "1", settings: Self.long)
            request.model = "remote"
            let conversation = try ada.call(.conversationCreate, request).conversation.id
            var mirror = try ada.watch(conversation)
            let answer = try ada.say("Tell me a long story.", in: conversation).answer.id
            try ada.follow(&mirror) { !$0.text(of: answer).isEmpty }
            let asked = try ada.call(.engineList).engines.first { $0.running > 0 }
            engines.first { $0.label == asked?.label }?.kill()
            let seen = mirror.text(of: answer)
            try ada.follow(&mirror, until: answer)
            let stored = try #require(try ada.messages(of: conversation).last)
            // What was seen growing is what is stored, once and in order.
            #expect(stored.text == mirror.text(of: answer) && stored.text.hasPrefix(seen))
            #expect(stored.state == .complete)
            withExtendedLifetime((engines, server)) {}
        }
    }
}
