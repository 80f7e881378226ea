// Responses of OpenAI's API over real sockets, on a server shared with other tests.

import ChatProtocol
import FoundationEssentials
import HTTPProtocol
import Testing

extension EndToEnd.OneServer {
    @Suite("A response of OpenAI's API")
    struct Responses {
        private let server: StoaServer
        private let key: HTTPHeaders
        private let model: String

        init() throws {
            server = try SharedServer.server()
            let token = try #require(SharedServer.tokens["jo"])
            key = try server.key([.complete], of: token)
            model = try server.modelName(key)
        }

        private func body(_ input: String, after previous: String? = nil) -> ResponseBody {
            var body = ResponseBody(input, after: previous)
            body.model = model
            body.maxTokens = 40
            return body
        }

        private func reply(
            _ body: ResponseBody,
            _ headers: HTTPHeaders? = nil
        ) throws -> ResponseReply {
            let answer = try server.respond(body, headers ?? key)
            guard answer.status == 200 else { throw HarnessError(answer.text) }
            return try answer.decode(as: ResponseReply.self)
        }

        private func refusal(_ answer: HTTPAnswer) throws -> (Int, String?, String?) {
            let error = try #require(try answer.decode(as: CompletionReply.self).error)
            return (answer.status, error.code, error.param)
        }

        private func chat(_ messages: [CompletionMessage]) throws -> CompletionReply {
            var body = CompletionBody(messages)
            body.model = model
            body.maxTokens = 40
            return try server.complete(body, key).decode(as: CompletionReply.self)
        }

        @Test("has the text of a chat completion, whole and as events")
        func answers() throws {
            var body = body("Tell me a long story.")
            body.instructions = "You tell stories."
            let whole = try reply(body)
            let chat = try chat([.system("You tell stories."), .user("Tell me a long story.")])
            #expect(whole.text == chat.text && whole.text?.isEmpty == false)
            #expect(whole.usage?.input == chat.usage?.promptTokens)
            #expect(whole.usage?.output == chat.usage?.completionTokens)
            #expect(whole.instructions == "You tell stories." && whole.store)

            let events = try server.streamResponse(body, key)
            #expect(events.map(\.number) == Array(0..<events.count))
            #expect(events.compactMap(\.delta).joined() == whole.text)
            let types = events.map(\.type)
            #expect(types.first == "response.created")
            #expect(
                types.filter { $0 != "response.output_text.delta" } == [
                    "response.created", "response.in_progress", "response.output_item.added",
                    "response.content_part.added", "response.output_text.done",
                    "response.content_part.done", "response.output_item.done", types.last,
                ]
            )
            let end = try #require(events.last?.response)
            #expect(end.text == whole.text && end.status == whole.status)
            #expect(types.last == "response.\(end.status)")
        }

        @Test("that is cut says so")
        func cut() throws {
            var body = body("Tell me a long story.")
            body.maxTokens = 4
            let short = try reply(body)
            #expect(short.status == "incomplete" && short.usage?.output == 4)
            #expect(short.incompleteDetails?.reason == "max_output_tokens")
            #expect(short.output.first?.status == "incomplete")
        }

        @Test("continues an earlier one, as if all messages had been sent, and branches from it")
        func continued() throws {
            let first = try reply(body("What is 2 + 3?"))
            let second = try reply(body("And 3 + 4?", after: first.id))
            let text = try #require(first.text)
            let expected = try chat([
                .user("What is 2 + 3?"), .assistant(text), .user("And 3 + 4?"),
            ])
            #expect(second.text == expected.text && second.previous == first.id)
            #expect(second.usage?.input == expected.usage?.promptTokens)
            // Another branch from the same answer, with other instructions: they are not carried
            // over to what continues it without them.
            var other = body("And 3 + 4?", after: first.id)
            other.instructions = "You count."
            let branch = try reply(other)
            let withSystem = try chat([
                .system("You count."), .user("What is 2 + 3?"), .assistant(text),
                .user("And 3 + 4?"),
            ])
            #expect(branch.text == withSystem.text)
            #expect(branch.usage?.input == withSystem.usage?.promptTokens)
            let third = try reply(body("Sure?", after: branch.id))
            let plain = try chat([
                .user("What is 2 + 3?"), .assistant(text), .user("And 3 + 4?"),
                .assistant(#require(branch.text)), .user("Sure?"),
            ])
            #expect(third.text == plain.text)
            #expect(third.usage?.input == plain.usage?.promptTokens)
        }

        @Test("is returned by its id to the key's owner, unless it is not stored")
        func retrieved() throws {
            let made = try reply(body("What is 2 + 3?"))
            let path = "\(StoaServer.responsesPath)/\(made.id)"
            let found = try server.get(path, headers: key).decode(as: ResponseReply.self)
            #expect(found.text == made.text && found.status == made.status)
            #expect(found.output.first?.id == made.output.first?.id)
            let next = try reply(body("Sure?", after: made.id))
            let stored = try server.get("\(StoaServer.responsesPath)/\(next.id)", headers: key)
            #expect(try stored.decode(as: ResponseReply.self).previous == made.id)
            let token = try #require(SharedServer.tokens["ivy"])
            let stranger = try server.key([.complete], of: token)
            #expect(try server.get(path, headers: stranger).status == 404)
            let answer = try server.respond(body("Sure?", after: made.id), stranger)
            #expect(
                try refusal(answer)
                    == (400, "previous_response_not_found", "previous_response_id")
            )

            var body = body("What is 2 + 3?")
            body.store = false
            let loose = try reply(body)
            #expect(!loose.store && loose.text == made.text)
            let missing = try server.get("\(StoaServer.responsesPath)/\(loose.id)", headers: key)
            #expect(missing.status == 404)
            #expect(try server.respond(self.body("Sure?", after: loose.id), key).status == 400)
        }

        @Test("that is deleted is gone, and those that continue it are not")
        func deleted() throws {
            func path(_ id: String) -> String { "\(StoaServer.responsesPath)/\(id)" }
            func delete(_ id: String, _ headers: HTTPHeaders? = nil) throws -> HTTPAnswer {
                let headers = headers ?? key
                return try HTTPCall.send(.delete, path(id), port: server.port, headers: headers)
            }
            let first = try reply(body("What is 2 + 3?"))
            let second = try reply(body("Sure?", after: first.id))
            let token = try #require(SharedServer.tokens["ivy"])
            #expect(try delete(first.id, server.key([.complete], of: token)).status == 404)
            let done = try delete(first.id)
            #expect(done.status == 200)
            #expect(done.text == #"{"id":"\#(first.id)","object":"response","deleted":true}"#)
            #expect(try delete(first.id).status == 404)
            #expect(try server.get(path(first.id), headers: key).status == 404)
            #expect(try server.respond(body("Hm?", after: first.id), key).status == 400)
            let third = try reply(body("Really?", after: second.id))
            #expect(third.previous == second.id)
            #expect(try delete(second.id).status == 200 && delete(third.id).status == 200)
            #expect(try server.get(path(third.id), headers: key).status == 404)
            #expect(try delete("resp_x").status == 404)
        }

        @Test("is made once for a key")
        func repeated() throws {
            var keyed = key
            keyed["Idempotency-Key"] = UUID().uuidString
            var body = body("What is 2 + 3?")
            body.temperature = 1
            let first = try reply(body, keyed)
            #expect(try reply(body, keyed).id == first.id)
            let events = try server.streamResponse(body, keyed)
            #expect(events.last?.response?.id == first.id)
            keyed["Idempotency-Key"] = UUID().uuidString
            let next = self.body("Sure?", after: first.id)
            #expect(try reply(next, keyed).id == reply(next, keyed).id)
        }

        @Test("lands in a conversation, and a later one as a branch of it")
        func conversation() throws {
            let token = try #require(SharedServer.tokens["jo"])
            let peer = try server.connect(token)
            let writer = try server.key([.complete, .read, .write], of: token)
            var place = writer
            place["stoa-conversation"] = "new"
            let first = try server.respond(body("What is 2 + 3?"), place)
            let id = try #require(
                first.head.headers["stoa-conversation"].flatMap { ConversationID($0) },
                "\(first.text)"
            )
            let made = try first.decode(as: ResponseReply.self)
            let second = try reply(body("And 3 + 4?", after: made.id), writer)
            let other = try reply(body("And 4 + 4?", after: made.id), writer)
            #expect(second.previous == made.id && other.id != second.id)
            #expect(try peer.messages(of: id).count == 4)
            let refused = try server.respond(body("Hm?", after: made.id), key)
            #expect(try refusal(refused).0 == 403)
            place["stoa-conversation"] = "\(id)"
            let both = try server.respond(body("Hm?", after: made.id), place)
            #expect(try refusal(both) == (400, "invalid_value", "previous_response_id"))
            var hot = body("Hm?", after: made.id)
            hot.temperature = 1
            #expect(try refusal(server.respond(hot, writer)).2 == "temperature")
        }
    }
}
