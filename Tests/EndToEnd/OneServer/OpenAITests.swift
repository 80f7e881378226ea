// OpenAI's API over real sockets, on a server shared with other tests.

import ChatProtocol
import FoundationEssentials
import HTTPProtocol
import Testing

extension EndToEnd.OneServer {
    private static let question = "Tell me a long story."

    private func key(
        _ scopes: [Scope] = [.complete],
        of user: String = "jo"
    ) throws -> HTTPHeaders {
        let token = try #require(SharedServer.tokens[user])
        return try SharedServer.server().key(scopes, of: token)
    }

    private func body(_ question: String, _ key: HTTPHeaders) throws -> CompletionBody {
        var body = CompletionBody(question)
        body.model = try SharedServer.server().modelName(key)
        return body
    }

    private func reply(_ body: CompletionBody, _ key: HTTPHeaders) throws -> CompletionReply {
        let answer = try SharedServer.server().complete(body, key)
        guard answer.status == 200 else { throw HarnessError(answer.text) }
        return try answer.decode(as: CompletionReply.self)
    }

    @Test("OpenAI's API lists the models, and returns one")
    func openAIModels() throws {
        let server = try SharedServer.server()
        let key = try key()
        let name = try server.modelName(key)
        let model = try server.get("/v1/models/\(name)", headers: key)
        #expect(model.status == 200 && model.text.contains(#""object":"model""#))
        let other = try server.get("/v1/models/a/b", headers: key)
        #expect(other.status == 404 && other.text.contains("model_not_found"))
        #expect(try server.get("/v1/files", headers: key).status == 404)
        let malformed = try server.get("/v1/models/%01", headers: key)
        #expect(malformed.status == 400 && malformed.text.contains("invalid_request_error"))
    }

    @Test("a streamed answer has the text of a whole one, and both say what it took")
    func openAIAnswers() throws {
        let server = try SharedServer.server()
        let key = try key()
        var body = try body(Self.question, key)
        body.messages.insert(.system("You tell stories."), at: 0)
        body.maxTokens = 200
        let whole = try reply(body, key)
        let text = try #require(whole.text)
        #expect(!text.isEmpty && whole.choices?.first?.message?.role == "assistant")
        let usage = try #require(whole.usage)
        #expect(usage.promptTokens > 0 && usage.completionTokens > 0)

        body.streamOptions = CompletionBody.StreamOptions(includeUsage: true)
        let stream = try CompletionStreamReader(body, to: server.port, key)
        let (chunks, isDone) = try stream.rest()
        #expect(isDone && chunks.text == text)
        #expect(chunks.first?.choices?.first?.delta?.role == "assistant")
        #expect(chunks.finishReason == whole.choices?.first?.finishReason)
        #expect(chunks.last?.usage?.completionTokens == usage.completionTokens)
        #expect(chunks.dropLast().allSatisfy { $0.usage == nil })
        #expect(Set(chunks.map(\.id)).count == 1)
        let head = try #require(stream.head)
        #expect(head.headers[.contentType] == "text/event-stream; charset=utf-8")
        #expect(head.headers["x-request-id"] != nil)
        #expect(head.headers["stoa-conversation"] == nil)
    }

    @Test("an answer ends at its limit, or before a stop string; a seed repeats it")
    func openAISettings() throws {
        let key = try key()
        var body = try body(Self.question, key)
        body.maxTokens = 5
        let short = try reply(body, key)
        #expect(short.choices?.first?.finishReason == "length")
        #expect(short.usage?.completionTokens == 5)
        body.maxTokens = nil
        let text = try #require(try reply(body, key).text)
        let words = text.split(separator: " ")
        let stop = String(try #require(words.dropFirst(3).first))
        body.stop = [stop]
        let stopped = try reply(body, key)
        let end = try #require(text.firstRange(of: stop)).lowerBound
        #expect(stopped.text == String(text[..<end]))
        #expect(stopped.choices?.first?.finishReason == "stop")
        (body.stop, body.temperature, body.seed) = (nil, 1, 7)
        #expect(try reply(body, key).text == reply(body, key).text)
    }

    @Test("the receipt has exactly the request's messages; no list, search or queue shows them")
    func openAIPrompt() throws {
        let server = try SharedServer.server()
        let token = try #require(SharedServer.tokens["jo"])
        let peer = try server.connect(token)
        let key = try key()
        var body = try body("And a xylophone?", key)
        body.messages = [.user("Hello!"), .assistant("Hi."), .user("Hm?")] + body.messages
        let answer = try server.complete(body, key)
        let path = try #require(answer.head.headers["stoa-receipt"])
        let receipt = try server.get(path, headers: [.authorization: "Bearer \(token)"])
        #expect(receipt.status == 200)
        struct Receipt: Decodable {
            /// A message, or the system prompt, which has no id.
            struct Entry: Decodable { var message: MessageID? }
            var entries: [Entry]
            var dropped: Int
            enum CodingKeys: String, CodingKey {
                case entries
                case dropped = "dropped_messages"
            }
        }
        let read = try receipt.decode(as: Receipt.self)
        #expect(
            read.dropped == 0 && Set(read.entries.compactMap(\.message)).count == 4
                && read.entries.count == 4,
            "\(receipt.text)"
        )
        // Nobody else sees it.
        let other = try #require(SharedServer.tokens["ivy"])
        #expect(try server.get(path, headers: [.authorization: "Bearer \(other)"]).status == 404)
        let list: ConversationListReply = try peer.call(
            .conversationList,
            ConversationListRequest()
        )
        #expect(!list.conversations.contains { $0.title == "API request" })
        let found: SearchReply = try peer.call(.search, SearchRequest(query: "xylophone"))
        #expect(found.results.isEmpty)
        let export = try server.get(
            "/api/v1/export",
            headers: [.authorization: "Bearer \(token)"]
        )
        #expect(!export.text.contains("xylophone"))
    }

    @Test("a request is refused in OpenAI's words, by the name of what is wrong")
    func openAIRefusals() throws {
        let server = try SharedServer.server()
        let key = try key()
        func refusal(_ answer: HTTPAnswer) throws -> (Int, String?, String?) {
            let error = try #require(try answer.decode(as: CompletionReply.self).error)
            return (answer.status, error.code, error.param)
        }
        var body = try body("Hi!", key)
        body.tools = [CompletionTool("now")]
        #expect(try refusal(server.complete(body, key)) == (400, "unsupported_parameter", "tools"))
        body.tools = nil
        body.model = "no-such-model"
        #expect(try refusal(server.complete(body, key)) == (404, "model_not_found", "model"))
        body = try self.body(String(repeating: "The long winter night. ", count: 4000), key)
        #expect(
            try refusal(server.complete(body, key)) == (400, "context_length_exceeded", "messages")
        )
        body = try self.body(String(repeating: "x", count: 5 << 20), key)
        #expect(try refusal(server.complete(body, key)) == (413, "limit_exceeded", nil))
        let path = "/v1/chat/completions"
        let form = try HTTPCall.send(.post, path, port: server.port, headers: key, body: [0x7B])
        #expect(try refusal(form).0 == 400)
        #expect(try server.get(path, headers: key).status == 405)
    }

    @Test("a key needs the scope, and the scope is for nothing else")
    func openAIScope() throws {
        let server = try SharedServer.server()
        let body = CompletionBody("Hi!")
        let reader = try key([.read, .write])
        let refused = try server.complete(body, reader)
        #expect(refused.status == 403 && refused.text.contains("insufficient_permissions"))
        #expect(try server.get("/v1/models", headers: reader).status == 403)
        let none = try server.complete(body, HTTPHeaders())
        #expect(none.status == 401 && none.text.contains("invalid_api_key"))
        #expect(none.head.headers[.wwwAuthenticate] == "Bearer")
        let wrong: HTTPHeaders = [.authorization: "Bearer stoa_wrong"]
        #expect(try server.complete(body, wrong).status == 401)
        let key = try key()
        #expect(try server.get("/api/v1/export", headers: key).status == 403)
        let cookie: HTTPHeaders = [.cookie: "stoa_session=\(SharedServer.tokens["jo"] ?? "")"]
        #expect(try server.get("/v1/models", headers: cookie).status == 401)
    }

    @Test("a repeated key gets the same reply, and another request with it none")
    func openAIRepeatedKey() throws {
        var key = try key()
        key["Idempotency-Key"] = String(repeating: "k", count: 200)
        var body = try body("What is 2 + 3?", key)
        body.temperature = 1
        let first = try reply(body, key)
        let second = try reply(body, key)
        #expect(first.id == second.id && first.text == second.text && first.text != nil)
        #expect(first.usage?.completionTokens == second.usage?.completionTokens)
        body.messages = [.user("What is 3 + 4?")]
        let other = try SharedServer.server().complete(body, key)
        #expect(other.status == 409 && other.text.contains("conflict"))
        #expect(other.head.headers["x-should-retry"] == "false")
    }

    @Test("a turn lands in a conversation, where its question and growing answer are live")
    func openAIConversation() throws {
        let server = try SharedServer.server()
        let peer = try connect("jo")
        let key = try key([.complete, .read, .write])
        let conversation = try peer.createConversation(settings: GenerationSettings(temperature: 0))
        var mirror = try peer.watch(conversation)
        var place = key
        place["stoa-conversation"] = "\(conversation)"
        var body = try body("What is 2 + 3?", key)
        body.temperature = nil
        let answer = try server.complete(body, place)
        let reply = try answer.decode(as: CompletionReply.self)
        let text = try #require(reply.text, "\(answer.text)")
        #expect(answer.head.headers["stoa-conversation"] == "\(conversation)")
        let messages = try peer.messages(of: conversation)
        try peer.follow(&mirror, until: #require(messages.last).id)
        #expect(messages.map(\.text) == ["What is 2 + 3?", text])
        #expect(mirror.text(of: messages[1].id) == text)
        let export = try server.get("/api/v1/conversations/\(conversation)/export", headers: key)
        #expect(export.text.contains(text))

        // The branch may be sent, as a whole.
        body.messages += [.assistant(text), .user("And 3 + 4?")]
        #expect(try server.complete(body, place).status == 200)
        let wrong = try server.complete(body, place)
        #expect(wrong.status == 400 && wrong.text.contains(#""param":"messages""#))
        body.messages = [.user("Again!")]
        body.temperature = 1
        let other = try server.complete(body, place)
        #expect(other.status == 400 && other.text.contains(#""param":"temperature""#))
        // Nobody else's, and not without the scopes.
        body.temperature = nil
        var stranger = try self.key([.complete, .read, .write], of: "ivy")
        stranger["stoa-conversation"] = "\(conversation)"
        #expect(try server.complete(body, stranger).status == 404)
        var limited = try self.key()
        limited["stoa-conversation"] = "\(conversation)"
        #expect(try server.complete(body, limited).status == 403)
        #expect(try peer.messages(of: conversation).count == 4)
    }

    @Test("a new conversation is created once for a key, and is its user's")
    func openAINewConversation() throws {
        let server = try SharedServer.server()
        let peer = try connect("jo")
        var key = try key([.complete, .read, .write])
        key["Idempotency-Key"] = UUID().uuidString
        var body = try body("What is 2 + 3?", key)
        body.messages.insert(.system("You count."), at: 0)
        body.store = true
        let first = try server.complete(body, key)
        #expect(first.status == 200, "\(first.text)")
        let name = try #require(first.head.headers["stoa-conversation"])
        #expect(try server.complete(body, key).head.headers["stoa-conversation"] == name)
        let id = try #require(ConversationID(name))
        let found: ConversationReply = try peer.call(
            .conversationGet,
            ConversationRequest(conversation: id)
        )
        #expect(found.conversation.systemPrompt == "You count.")
        #expect(found.conversation.settings.temperature == 0)
        #expect(try peer.messages(of: id).count == 2)
        key["Idempotency-Key"] = nil
        key["stoa-conversation"] = "nowhere"
        #expect(try server.complete(body, key).text.contains(#""param":"stoa-conversation""#))
        key["stoa-conversation"] = "new"
        body.messages += [.assistant("5"), .user("Sure?")]
        #expect(try server.complete(body, key).text.contains(#""param":"messages""#))
        body.store = false
        #expect(try server.complete(body, key).text.contains(#""param":"store""#))
    }
}
