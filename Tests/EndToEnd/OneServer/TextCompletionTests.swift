// Text completions of OpenAI's API over real sockets, on a server shared with other tests.

import ChatProtocol
import FoundationEssentials
import HTTPProtocol
import Testing

extension EndToEnd.OneServer {
    @Suite("A text completion of OpenAI's API")
    struct TextCompletions {
        private let server: StoaServer
        private let token: String
        private let key: HTTPHeaders
        private let model: String

        init() throws {
            server = try SharedServer.server()
            token = try #require(SharedServer.tokens["jo"])
            key = try server.key([.complete], of: token)
            model = try server.modelName(key)
        }

        private func body(_ prompt: TextCompletionBody.Prompt) -> TextCompletionBody {
            TextCompletionBody(model: model, prompt: prompt)
        }

        private func reply(_ body: TextCompletionBody) throws -> TextCompletionReply {
            let answer = try server.complete(body, key)
            guard answer.status == 200 else { throw HarnessError(answer.text) }
            return try answer.decode(as: TextCompletionReply.self)
        }

        /// The answer that a reply's receipt is of.
        private func receipt(_ answer: HTTPAnswer) throws -> (id: String, text: String) {
            let path = try #require(answer.head.headers["stoa-receipt"])
            let receipt = try server.get(path, headers: [.authorization: "Bearer \(token)"])
            let id = try #require(path.split(separator: "/").dropLast().last)
            return (String(id), receipt.text)
        }

        private func replay(_ answer: String, _ options: [String]) throws -> String {
            let (end, output, errors) = try server.command(
                ["replay", answer] + options + ["--data-dir", server.dataDirectory]
            )
            #expect(end == .exited(0), "\(errors)")
            return output
        }

        @Test("continues a text without a template, and its prompt can be reconstructed")
        func text() throws {
            let prompt = "The capital of Finland is <|end|>"
            let answer = try server.complete(body(.text(prompt)), key)
            let whole = try answer.decode(as: TextCompletionReply.self)
            #expect(whole.choices.count == 1 && whole.id.hasPrefix("cmpl-"), "\(answer.text)")
            let usage = try #require(whole.usage)
            #expect(usage.completionTokens <= 16 && usage.promptTokens > 5)
            let (id, receipt) = try receipt(answer)
            #expect(receipt.contains(#""raw": true"#) || receipt.contains(#""raw":true"#))
            #expect(try replay(id, []) == prompt + "\n" || replay(id, []) == prompt)
            #expect(try replay(id, ["--run"]).hasPrefix("the same "))
            // The same tokens are the same prompt.
            let ids = try replay(id, ["--format", "ids"]).split(whereSeparator: \.isWhitespace)
            #expect(ids.count == usage.promptTokens)
            let tokens = try reply(body(.tokens(ids.compactMap { Int($0) })))
            #expect(tokens.texts == whole.texts)
            #expect(tokens.usage?.promptTokens == usage.promptTokens)
        }

        @Test("has the template's tokens if it is sent their ids: then it is the chat's answer")
        func template() throws {
            var chat = CompletionBody("What is 2 + 3?")
            chat.model = model
            let answer = try server.complete(chat, key)
            let expected = try answer.decode(as: CompletionReply.self)
            let (id, _) = try receipt(answer)
            let ids = try replay(id, ["--format", "ids"]).split(whereSeparator: \.isWhitespace)
            var body = body(.tokens(ids.compactMap { Int($0) }))
            body.maxTokens = 200
            let again = try server.complete(body, key)
            let whole = try again.decode(as: TextCompletionReply.self)
            #expect(whole.texts.first == expected.text)
            #expect(whole.choices.first?.finishReason == "stop")
            #expect(try replay(receipt(again).id, ["--run"]).hasPrefix("the same "))
        }

        @Test("has the answers of several prompts in their order, whole and as a stream")
        func several() throws {
            let prompts = ["Once upon a time", "The capital of France", "2 + 3 ="]
            let single = try prompts.map { try reply(self.body(.text($0))) }
            var body = body(.texts(prompts))
            body.n = 2
            let whole = try reply(body)
            #expect(whole.choices.map(\.index) == Array(0..<6))
            #expect(whole.texts == single.flatMap { [$0.texts[0], $0.texts[0]] })
            let sum = single.reduce(0) { $0 + ($1.usage?.promptTokens ?? 0) }
            #expect(whole.usage?.promptTokens == sum)
            body.echo = true
            let chunks = try server.stream(body, key).flatMap(\.choices)
            for (index, text) in whole.texts.enumerated() {
                let grown = chunks.filter { $0.index == index }.map(\.text).joined()
                #expect(grown == prompts[index / 2] + text)
            }
            #expect(chunks.compactMap(\.finishReason).count == 6)
            #expect(try reply(body).texts == zip(0..., whole.texts).map { prompts[$0 / 2] + $1 })
        }

        @Test("has the probabilities of its tokens, and where they are")
        func logprobs() throws {
            var body = body(.text("Once upon a time"))
            body.logprobs = 2
            let choice = try #require(try reply(body).choices.first)
            let logprobs = try #require(choice.logprobs)
            #expect(logprobs.tokens.joined() == choice.text)
            let scalars = Array(choice.text.unicodeScalars)
            for (token, offset) in zip(logprobs.tokens, logprobs.offsets) {
                #expect(scalars[offset...].starts(with: token.unicodeScalars))
            }
        }

        @Test("is refused for tokens that the model does not have, and in conversations")
        func refused() throws {
            let unknown = try server.complete(body(.tokens([1, 9_999_999])), key)
            #expect(unknown.status == 400 && unknown.text.contains(#""param":"prompt""#))
            var place = key
            place["stoa-conversation"] = "new"
            let refused = try server.complete(body(.text("a")), place)
            #expect(refused.status == 400 && refused.text.contains("stoa-conversation"))
            let long = try server.complete(
                body(.text(String(repeating: "word ", count: 5000))),
                key
            )
            #expect(long.status == 400 && long.text.contains("context_length_exceeded"))
        }
    }
}
