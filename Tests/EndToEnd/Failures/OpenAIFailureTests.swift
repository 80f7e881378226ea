// OpenAI's API when connections and servers end in the middle of an answer.

import ChatProtocol
import FoundationEssentials
import HTTPProtocol
import Testing

extension EndToEnd.Failures {
    @Suite("A completion that is interrupted")
    struct InterruptedCompletions {
        private static let arguments = ["--lease-seconds", "3", "--threads", "1", "--slots", "1"]

        /// A server whose model takes seconds for a story, with a key.
        private func server(
            _ more: [String] = []
        ) throws -> (StoaServer, key: HTTPHeaders, token: String) {
            let server = try StoaServer(
                Self.arguments + more,
                environment: ["STOA_KERNELS": "scalar"]
            )
            try server.addUser("ada")
            let token = try server.signIn("ada")
            return (server, try server.key([.complete], of: token), token)
        }

        private func story(_ server: StoaServer, _ key: HTTPHeaders) throws -> CompletionBody {
            var body = CompletionBody("Tell me a long story.")
            body.model = try server.modelName(key)
            return body
        }

        private func text(
            _ server: StoaServer,
            _ body: CompletionBody,
            _ key: HTTPHeaders
        ) throws -> String {
            let answer = try server.complete(body, key)
            let reply = try answer.decode(as: CompletionReply.self)
            guard let text = reply.text else { throw HarnessError(answer.text) }
            return text
        }

        @Test("a closed connection stops the run")
        func closedConnection() throws {
            var (server, key, _) = try server()
            let body = try story(server, key)
            key["Idempotency-Key"] = "closed"
            var stream: CompletionStreamReader? = try CompletionStreamReader(
                body,
                to: server.port,
                key
            )
            _ = try stream?.firstText()
            stream = nil
            // The same key gets the same reply: that it was stopped.
            let answer = try server.complete(body, key)
            #expect(answer.status == 409, "\(answer.text)")
            #expect(answer.text.contains("answer_stopped"))
            // The slot is free.
            key["Idempotency-Key"] = nil
            #expect(try !text(server, body, key).isEmpty)
        }

        @Test("a request whose server is killed gets the same reply when it is repeated")
        func killedServer() throws {
            var (server, key, _) = try server()
            let body = try story(server, key)
            let expected = try text(server, body, key)
            key["Idempotency-Key"] = "killed"
            let stream = try CompletionStreamReader(body, to: server.port, key)
            _ = try stream.firstText()
            try server.kill()
            try server.start()
            #expect(try text(server, body, key) == expected)
            #expect(try text(server, body, key) == expected)
        }

        @Test("a closed connection stops all answers of the request")
        func closedConnectionOfSeveral() throws {
            var (server, key, _) = try server()
            var body = try story(server, key)
            body.n = 3
            key["Idempotency-Key"] = "several"
            var stream: CompletionStreamReader? = try CompletionStreamReader(
                body,
                to: server.port,
                key
            )
            _ = try stream?.firstText()
            stream = nil
            let answer = try server.complete(body, key)
            #expect(answer.status == 409 && answer.text.contains("answer_stopped"))
            // The only slot is free, and nothing waits for it.
            key["Idempotency-Key"] = nil
            body.n = nil
            #expect(try !text(server, body, key).isEmpty)
        }

        @Test("a stream with probabilities goes on, token by token, when its run is taken over")
        func takeover() throws {
            let (first, key, token) = try server()
            let second = try StoaServer(beside: first, Self.arguments)
            defer { withExtendedLifetime(second) {} }
            var body = try story(first, key)
            (body.logprobs, body.topLogprobs, body.frequencyPenalty) = (true, 2, 0.2)
            let whole = try first.complete(body, key).decode(as: CompletionReply.self)
            let expected = try #require(whole.text)
            // The second node is busy, so that the first one generates what the second is asked for.
            let peer = try second.connect(token)
            let busy = try peer.createConversation()
            var mirror = try peer.watch(busy)
            let other = try peer.say("Tell me a long story.", in: busy).answer.id
            try peer.follow(&mirror) { !$0.text(of: other).isEmpty }
            let stream = try CompletionStreamReader(body, to: second.port, key)
            let start = try stream.firstChunk()
            try first.kill()
            let (rest, isDone) = try stream.rest()
            let chunks = [start] + rest
            #expect(isDone && chunks.finishReason == whole.choices?.first?.finishReason)
            #expect(chunks.text == expected)
            #expect(chunks.tokens.map(\.bytes) == whole.tokens.map(\.bytes))
            #expect(chunks.tokens.map(\.top) == whole.tokens.map(\.top))
        }
    }
}
