// A server whose model is another server's, by OpenAI's API.

import ChatProtocol
import FoundationEssentials
import HTTPProtocol
import TestSupport
import Testing

extension EndToEnd.WithServersOfTheirOwn {
    @Suite("Stoa behind Stoa")
    struct StoaBehindStoa {
        private func create(
            _ model: String?,
            by peer: Peer
        ) throws -> ConversationID {
            var request = ConversationCreateRequest(
                key: UUID().uuidString,
                systemPrompt: "You are friendly.",
                settings: GenerationSettings(temperature: 0, maxTokens: 120)
            )
            request.model = model
            return try peer.call(.conversationCreate, request, as: ConversationReply.self)
                .conversation.id
        }

        @Test("the same questions get the same answers as from the model itself")
        func sameAnswers() throws {
            let far = try StoaServer()
            try far.addUser("eve")
            let headers = try far.key([.complete], of: far.signIn("eve"))
            let model = try far.modelName(headers)
            let secret = try #require(headers[.authorization]).trimmingPrefix("Bearer ")
            let folder = try TemporaryFolder()
            let file = try folder.write("key", Array(secret.utf8))

            let near = try StoaServer([
                "--remote-engine", "\(far.origin)/v1 model=\(model) as=far key-file=\(file)",
                "--titles", "off",
            ])
            try near.addUser("ada")
            let ada = try near.connect(near.signIn("ada"))
            let (own, remote) = (try create(nil, by: ada), try create("far", by: ada))
            var (ownMirror, remoteMirror) = (try ada.watch(own), try ada.watch(remote))
            for question in ["What is 2 + 3?", "Tell me a story.", "Who are you?"] {
                let expected = try ada.ask(question, in: own, &ownMirror)
                let answer = try ada.ask(question, in: remote, &remoteMirror)
                #expect(!answer.isEmpty && answer == expected)
            }
            let (ownMessages, remoteMessages) = (
                try ada.messages(of: own), try ada.messages(of: remote)
            )
            for (expected, answer) in zip(ownMessages, remoteMessages) {
                #expect(answer.text == expected.text && answer.state == .complete)
                #expect(answer.usage?.promptTokens == expected.usage?.promptTokens)
                #expect(answer.usage?.completionTokens == expected.usage?.completionTokens)
            }
            #expect(remoteMessages.count == 6)

            // By OpenAI's API too, with what the other server has.
            let key = try near.key([.complete], of: near.signIn("ada"))
            func text(_ server: StoaServer, _ key: HTTPHeaders, _ model: String) throws -> String? {
                var body = CompletionBody("Tell me a story.")
                (body.model, body.maxTokens, body.frequencyPenalty) = (model, 60, 1.5)
                return try server.complete(body, key).decode(as: CompletionReply.self).text
            }
            let penalized = try text(near, key, "far")
            #expect(try penalized != nil && penalized == text(far, headers, model))
            var body = CompletionBody("Who are you?")
            (body.model, body.logprobs) = ("far", true)
            let refused = try near.complete(body, key)
            #expect(refused.status == 400 && refused.text.contains(#""param":"logprobs""#))
            #expect(!near.log.contains(secret))
            withExtendedLifetime(folder) {}
        }

        @Test(
            "--model-thinking of the model limits what it thinks there; a conversation overrides it"
        )
        func thinking() throws {
            let folder = try TemporaryFolder()
            let model = try ThinkingModel.make(in: folder.path, as: "thinker")
            let far = try StoaServer(["--model", model])
            try far.addUser("eve")
            let headers = try far.key([.complete], of: far.signIn("eve"))
            let secret = try #require(headers[.authorization]).trimmingPrefix("Bearer ")
            let file = try folder.write("key", Array(secret.utf8))
            let near = try StoaServer([
                "--remote-engine", "\(far.origin)/v1 model=thinker as=far key-file=\(file)",
                "--titles", "off", "--model-thinking", "far=2", "--max-thinking-tokens", "5",
            ])
            try near.addUser("ada")
            let ada = try near.connect(near.signIn("ada"))
            let list: ModelListReply = try ada.call(.modelList)
            #expect(list.models.first { $0.name == "far" }?.maxThinkingTokens == 2)
            for (limit, thinking) in [(nil, " upon a"), (1, " upon")] as [(Int?, String)] {
                var request = ConversationCreateRequest(
                    key: UUID().uuidString,
                    settings: GenerationSettings(temperature: 0, maxThinkingTokens: limit)
                )
                request.model = "far"
                let conversation = try ada.call(
                    .conversationCreate,
                    request,
                    as: ConversationReply.self
                ).conversation.id
                var mirror = try ada.watch(conversation)
                let text = try ada.ask(ThinkingModel.question, in: conversation, &mirror)
                #expect(text.hasPrefix("<think>\(thinking)</think>"), "\(text)")
            }
        }
    }
}
