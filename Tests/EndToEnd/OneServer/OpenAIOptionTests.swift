// What requests of OpenAI's API ask for beyond the settings of conversations, over real sockets, on a
// server shared with other tests.

import ChatProtocol
import FoundationEssentials
import HTTPProtocol
import Testing

extension EndToEnd.OneServer {
    @Suite("An option of OpenAI's API")
    struct CompletionOptions {
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

        private func body(_ question: String = "Tell me a long story.") -> CompletionBody {
            var body = CompletionBody(question)
            body.model = model
            body.maxTokens = 60
            return body
        }

        private func reply(_ body: CompletionBody) throws -> CompletionReply {
            let answer = try server.complete(body, key)
            guard answer.status == 200 else { throw HarnessError(answer.text) }
            return try answer.decode(as: CompletionReply.self)
        }

        private func refusal(
            _ body: CompletionBody,
            _ headers: HTTPHeaders? = nil
        ) throws -> CompletionError {
            let answer = try server.complete(body, headers ?? key)
            #expect(answer.status == 400)
            return try #require(try answer.decode(as: CompletionReply.self).error)
        }

        /// The part of a receipt that says how tokens were sampled.
        private struct Receipt: Decodable {
            struct Run: Decodable { var sampling: Sampling }
            struct Sampling: Decodable {
                struct Bias: Decodable { var token: Int }
                var presence: Double?
                var frequency: Double?
                var bias: [Bias]?
                enum CodingKeys: String, CodingKey {
                    case presence = "presence_penalty"
                    case frequency = "frequency_penalty"
                    case bias = "logit_bias"
                }
            }
            var run: Run
        }

        @Test("that penalizes repetition changes the answer, repeatably, and is in its receipt")
        func penalties() throws {
            let plain = try #require(try reply(body()).text)
            var body = body()
            body.frequencyPenalty = 2
            body.presencePenalty = 1
            let answer = try server.complete(body, key)
            let changed = try #require(try answer.decode(as: CompletionReply.self).text)
            #expect(changed != plain)
            #expect(try reply(body).text == changed)
            let path = try #require(answer.head.headers["stoa-receipt"])
            let receipt = try server.get(path, headers: [.authorization: "Bearer \(token)"])
            let sampling = try receipt.decode(as: Receipt.self).run.sampling
            #expect(sampling.frequency == 2 && sampling.presence == 1 && sampling.bias == nil)
            // Nothing is asked for.
            (body.frequencyPenalty, body.presencePenalty, body.logitBias) = (0, 0, [:])
            #expect(try reply(body).text == plain)
        }

        @Test("that biases a token makes it all there is, or never there")
        func bias() throws {
            let plain = try #require(try reply(body()).text)
            var body = body()
            body.maxTokens = 4
            body.logitBias = ["40": 100]
            let text = try #require(try reply(body).text)
            #expect(!text.isEmpty && text != String(plain.prefix(text.count)))
            #expect(Set(text).count == text.count / 4 || Set(text).count == 1, "\(text)")
        }

        @Test("that wants logprobs gets them for each token, whole, as a stream, and again")
        func logprobs() throws {
            var body = body()
            let plain = try reply(body)
            #expect(plain.tokens.isEmpty)
            (body.logprobs, body.topLogprobs) = (true, 3)
            var keyed = key
            keyed["Idempotency-Key"] = UUID().uuidString
            let answer = try server.complete(body, keyed)
            let whole = try answer.decode(as: CompletionReply.self)
            #expect(whole.text == plain.text, "\(answer.text)")
            let tokens = whole.tokens
            let text = String(decoding: tokens.flatMap(\.bytes), as: UTF8.self)
            #expect(text == plain.text && tokens.allSatisfy { $0.logprob <= 0 })
            #expect(tokens.allSatisfy { $0.top?.count == 3 && $0.top?[0].bytes == $0.bytes })
            // As a stream, each chunk has the tokens of its text.
            let stream = try CompletionStreamReader(body, to: server.port, key)
            let (chunks, isDone) = try stream.rest()
            #expect(isDone && chunks.text == plain.text && chunks.tokens == tokens)
            // The reply is read from the database when it is asked for again.
            let again = try CompletionStreamReader(body, to: server.port, keyed)
            let repeated = try again.rest().chunks
            #expect(repeated.tokens == tokens && repeated.first?.id == whole.id)
            (body.topLogprobs, body.stop) = (nil, [String(try #require(plain.text).suffix(4))])
            let short = try reply(body)
            #expect(short.tokens.allSatisfy { $0.top == [] } && !short.tokens.isEmpty)
        }

        @Test("that wants several answers gets them, with consecutive seeds")
        func several() throws {
            var body = body()
            (body.n, body.temperature, body.seed, body.maxTokens) = (3, 1, 50, 20)
            let together = try reply(body)
            #expect(together.choices?.map(\.index) == [0, 1, 2])
            var texts: [String] = []
            var tokenCount = 0
            body.n = nil
            for seed in 50...52 {
                body.seed = seed
                let one = try reply(body)
                texts.append(try #require(one.text))
                tokenCount += try #require(one.usage).completionTokens
                #expect(one.usage?.promptTokens == together.usage?.promptTokens)
            }
            #expect(together.texts == texts && Set(texts).count > 1)
            #expect(together.usage?.completionTokens == tokenCount)
            (body.n, body.seed) = (3, 50)
            let stream = try CompletionStreamReader(body, to: server.port, key)
            let (chunks, isDone) = try stream.rest()
            #expect(isDone && (0..<3).map { chunks.text(of: $0) } == texts)
            #expect(chunks.compactMap { $0.choices?.first?.finishReason }.count == 3)
        }

        @Test("that the model or a conversation does not have is refused by name")
        func refused() throws {
            var body = body()
            body.logitBias = ["2000000": 1]
            let unknown = try refusal(body)
            #expect(unknown.param == "logit_bias" && unknown.message.contains("2000000"))
            body.logitBias = nil
            body.n = 2
            var place = try server.key([.complete, .read, .write], of: token)
            place["stoa-conversation"] = "new"
            #expect(try refusal(body, place).param == "n")
            (body.n, body.presencePenalty) = (nil, 1)
            let refused = try refusal(body, place)
            #expect(refused.param == "presence_penalty")
            #expect(refused.code == "unsupported_parameter")
        }
    }
}
