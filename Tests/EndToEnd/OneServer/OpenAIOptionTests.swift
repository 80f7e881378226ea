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

        @Test("that the model or a conversation does not have is refused by name")
        func refused() throws {
            var body = body()
            body.logitBias = ["2000000": 1]
            let unknown = try refusal(body)
            #expect(unknown.param == "logit_bias" && unknown.message.contains("2000000"))
            body.logitBias = nil
            body.presencePenalty = 1
            var place = try server.key([.complete, .read, .write], of: token)
            place["stoa-conversation"] = "new"
            let refused = try refusal(body, place)
            #expect(refused.param == "presence_penalty")
            #expect(refused.code == "unsupported_parameter")
        }
    }
}
