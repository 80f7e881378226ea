// Answers with a form, by OpenAI's API over real sockets.

import ChatProtocol
import ConstrainedText
import FoundationEssentials
import HTTPProtocol
import JSONText
import Testing

extension EndToEnd.OneServer {
    @Suite("A format of answers")
    struct AnswerFormats {
        private let server: StoaServer
        private let token: String
        private let key: HTTPHeaders
        private let model: String

        private static let city = #"""
            {"type":"object","properties":{"city":{"type":"string","maxLength":30},
            "people":{"type":"integer","minimum":0},"tags":{"type":"array","items":
            {"enum":["north","south"]},"maxItems":2}},"required":["city","people"],
            "additionalProperties":false}
            """#

        init() throws {
            server = try SharedServer.server()
            token = try #require(SharedServer.tokens["jo"])
            key = try server.key([.complete], of: token)
            model = try server.modelName(key)
        }

        private func value(_ text: String) throws -> JSONValue {
            try JSONValue(parsing: Array(text.utf8))
        }

        private func body(_ schema: String, maxTokens: Int) throws -> CompletionBody {
            var body = CompletionBody("What is the capital of Finland?")
            body.model = model
            body.temperature = 1
            body.maxTokens = maxTokens
            body.responseFormat = .init(
                type: "json_schema",
                schema: .init(schema: try value(schema))
            )
            return body
        }

        private func refusal(_ body: CompletionBody) throws -> CompletionError {
            let answer = try server.complete(body, key)
            #expect(answer.status == 400)
            return try #require(try answer.decode(as: CompletionReply.self).error)
        }

        @Test("is refused if a budget leaves too few tokens for it, before anything is stored")
        func budget() throws {
            try server.addUser("tess")
            let key = try server.key([.complete], of: server.signIn("tess"))
            let root = try SharedServer.connect(administrator)
            let found: UserListReply = try root.call(.userList, UserListRequest(query: "tess"))
            let user = try #require(found.users.first { $0.name == "tess" })
            let limit = BudgetSetRequest(user: user.id, daily: 40)
            _ = try root.call(.budgetSet, limit, as: EmptyReply.self)
            let long = try body(
                #"{"type":"object","properties":{"a":{"type":"string","minLength":200}},"required":["a"]}"#,
                maxTokens: 400
            )
            let answer = try server.complete(long, key)
            let error = try #require(try answer.decode(as: CompletionReply.self).error)
            #expect(answer.status == 429 && error.code == "insufficient_quota", "\(error)")
        }

        @Test("is held at any length, whole and as a stream")
        func holds() throws {
            let validator = try SchemaValidator(Self.city)
            for (seed, maxTokens) in [60, 34, 40, 25, 30, 50].enumerated() {
                var body = try body(Self.city, maxTokens: maxTokens)
                body.seed = seed
                let reply = try server.complete(body, key).decode(as: CompletionReply.self)
                let text = try #require(reply.text)
                #expect(validator.isValid(try value(text)), "\(text)")
                let finish = reply.choices?.first?.finishReason
                #expect(finish == "stop" || finish == "length")
                // Its schema may have another order, in which the encoder wrote the members.
                let (chunks, isDone) = try CompletionStreamReader(body, to: server.port, key)
                    .rest()
                #expect(
                    isDone && (chunks.finishReason == "stop" || chunks.finishReason == "length")
                )
                #expect(validator.isValid(try value(chunks.text)), "\(chunks.text)")
            }
        }

        @Test("may be any JSON object")
        func anyObject() throws {
            var body = try body("{}", maxTokens: 20)
            body.responseFormat = .init(type: "json_object")
            let reply = try server.complete(body, key).decode(as: CompletionReply.self)
            let text = try #require(reply.text)
            #expect(text.hasPrefix("{") && text.hasSuffix("}"), "\(text)")
        }

        @Test("is in the receipt")
        func receipt() throws {
            struct Receipt: Decodable {
                struct Run: Decodable { var answer: Answer }
                struct Answer: Decodable { var constraint: AnswerConstraint }
                var run: Run
            }
            let schema = try value(#"{"type":"boolean"}"#)
            let answer = try server.complete(try body(#"{"type":"boolean"}"#, maxTokens: 5), key)
            let path = try #require(answer.head.headers["stoa-receipt"])
            let receipt = try server.get(path, headers: [.authorization: "Bearer \(token)"])
                .decode(as: Receipt.self)
            #expect(receipt.run.answer.constraint == AnswerConstraint(schema: schema))
        }

        @Test("that cannot be held is refused before it is queued, with its place")
        func refuses() throws {
            let error = try refusal(
                try body(#"{"properties":{"a":{"not":{}}}}"#, maxTokens: 20)
            )
            #expect(error.param == "response_format" && error.code == "invalid_schema")
            #expect(error.message.contains("/properties/a/not"))
            let short = try refusal(
                try body(#"{"type":"string","minLength":500}"#, maxTokens: 20)
            )
            #expect(short.message.contains("502"), "\(short.message)")
            var stopped = try body("{}", maxTokens: 20)
            stopped.stop = ["}"]
            #expect(try refusal(stopped).param == "stop")
        }

        @Test("is refused in a conversation of the user")
        func conversation() throws {
            var body = try body("{}", maxTokens: 20)
            body.store = true
            let headers = try server.key([.complete, .read, .write], of: token)
            let answer = try server.complete(body, headers)
            let error = try #require(try answer.decode(as: CompletionReply.self).error)
            #expect(answer.status == 400 && error.param == "response_format")
        }

        /// `text.format` of a response.
        private struct Written: Decodable {
            struct Text: Decodable { var format: Format }
            struct Format: Decodable {
                var type: String
                var name: String?
                var strict: Bool?
            }
            struct Item: Decodable { var content: [Part] }
            struct Part: Decodable { var text: String }
            var id: String
            var text: Text
            var output: [Item]
        }

        @Test("is text.format of a response, which says so now and later")
        func response() throws {
            struct Body: Encodable {
                struct Text: Encodable {
                    struct Format: Encodable {
                        let type = "json_schema"
                        let name = "city"
                        let strict = true
                        var schema: JSONValue
                    }
                    var format: Format
                }
                var model: String
                let input = "What is the capital of Finland?"
                let limit = 40
                var text: Text
                enum CodingKeys: String, CodingKey {
                    case model, input, text
                    case limit = "max_output_tokens"
                }
            }
            let schema = try value(Self.city)
            let body = Body(model: model, text: .init(format: .init(schema: schema)))
            let written = try server.post("/v1/responses", body, headers: key)
                .decode(as: Written.self)
            let text = try #require(written.output.first?.content.first?.text)
            #expect(try SchemaValidator(Self.city).isValid(try value(text)))
            let stored = try server.get("/v1/responses/\(written.id)", headers: key)
                .decode(as: Written.self)
            for format in [written.text.format, stored.text.format] {
                #expect(format.type == "json_schema" && format.name == "city")
                #expect(format.strict == true)
            }
        }
    }
}
