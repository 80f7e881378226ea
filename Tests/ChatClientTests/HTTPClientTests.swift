// The HTTP client, and the handles for other executors.

import ChatClient
import ChatProtocol
import EventLoop
import HTTPProtocol
import Testing

@Suite("Single HTTP requests", .timeLimit(.minutes(1)))
struct HTTPClientTests {
    @Test("a response is read in full, also with an error status")
    func get() async throws {
        try await withServer { server, client in
            server.onGet = { target in
                let body = [UInt8](repeating: 0x61, count: 300_000)
                return HTTPReply(
                    head: HTTPResponseHead(target == "/there" ? .ok : .notFound),
                    body: body
                )
            }
            let http = HTTPClient(loop: client.loop, server: server.url)
            let there = try await http.get("/there")
            #expect(there.status == .ok)
            #expect(there.body.count == 300_000)
            #expect(try await http.get("/elsewhere").status == .notFound)
        }
    }

    @Test("a body over the limit is refused")
    func tooLarge() async throws {
        try await withServer { server, client in
            server.onGet = { _ in
                HTTPReply(head: HTTPResponseHead(.ok), body: [UInt8](repeating: 1, count: 101))
            }
            var http = HTTPClient(loop: client.loop, server: server.url)
            http.bodyBytesMax = 100
            await #expect {
                try await http.get("/")
            } throws: { error in
                if case .http(.bodyTooLarge)? = error as? ChatClientError { true } else { false }
            }
        }
    }

    @Test("a request to a server that does not answer times out")
    func timeout() async throws {
        try await withServer { server, client in
            var http = HTTPClient(loop: client.loop, server: server.url)
            http.timeout = .milliseconds(20)
            await #expect {
                try await http.get("/")
            } throws: { error in
                if case .timedOut? = error as? ChatClientError { true } else { false }
            }
        }
    }

    @Test("sign-in returns a token")
    func signIn() async throws {
        try await withServer { server, client in
            let http = HTTPClient(loop: client.loop, server: server.url)
            let reply = try await http.signIn(username: "ada", password: "pass")
            #expect(reply.token == "secret")
            #expect(reply.user.name == "ada")
        }
    }

    @Test("clients on their own thread can be used from any task")
    func handles() async throws {
        let scene = Scene()
        let thread = try ClientThread()
        let url = try await thread.run { loop in
            let server = try ScriptedServer(loop)
            server.onGet = { _ in HTTPReply(head: HTTPResponseHead(.ok), body: []) }
            server.onRequest = { request, peer in
                peer.reply(request, scene.snapshot(n: 1, [scene.message(scene.answer)]))
                peer.send(scene.delta(0, "Green"))
                peer.send(scene.ended(2, stored: "Green"))
            }
            // The listener's accept closure does not keep the server alive; this timer does.
            loop.schedule(after: .seconds(3600)) { server.close() }
            return server.url
        }
        #expect(try await HTTPClientHandle(server: url, on: thread).get("/").status == .ok)

        let client = try await ChatClientHandle.signIn(
            to: url,
            username: "ada",
            password: "pass",
            on: thread
        )
        #expect(client.welcome.user.name == "ada")
        let followed = try await client.follow(scene.conversation)
        #expect(try await followed.answer(scene.answer).text == "Green")
        await client.close()
        var names: [ServerEvent.Name] = []
        for await event in client.events { names.append(event.name) }
        #expect(names == [.welcome, .messageDelta, .messageCompleted])
    }
}

@Suite("Values of the client")
struct ClientValueTests {
    @Test("delays double up to their limit, and are reset after success")
    func backOff() {
        var generator = SystemRandomNumberGenerator()
        var backOff = BackOff(first: .seconds(1), longest: .seconds(5))
        for longest in [1, 2, 4, 5, 5] {
            let delay = backOff.delay(using: &generator)
            #expect(delay <= .seconds(longest))
            #expect(delay >= .seconds(longest) / 2)
        }
        backOff.reset()
        #expect(backOff.delay(using: &generator) <= .seconds(1))
    }
}
