// Calls, events and connections, tested against a scripted server.

import ChatClient
import ChatProtocol
import EventLoop
import HTTPProtocol
import Networking
import Testing

@Suite("A client of the chat protocol", .timeLimit(.minutes(1)))
struct ChatClientTests {
    @Test("replies are matched to their calls in any order")
    func outOfOrder() async throws {
        try await withServer { server, client in
            var held: [ClientRequest] = []
            server.onRequest = { request, peer in
                held.append(request)
                guard held.count == 2 else { return }
                for request in held.reversed() {
                    if request.body(of: .ping) != nil {
                        peer.reply(request, PingReply(time: Timestamp(milliseconds: 5000)))
                    } else {
                        peer.reply(request, ModelListReply(models: []))
                    }
                }
            }
            client.start()
            #expect(try await client.connected().user.name == "ada")
            let models = LoopPromise<ModelListReply, ChatClientError>(client.loop)
            client.loop.spawn {
                do throws(ChatClientError) {
                    let reply = try await client.call(.modelList)
                    models.succeed(reply)
                } catch {
                    models.fail(error)
                }
            }
            let pong = try await client.call(.ping)
            #expect(pong.time.milliseconds == 5000)
            #expect(try await models.value {}.models.isEmpty)
        }
    }

    @Test("a refusal is thrown with its code")
    func refusal() async throws {
        try await withServer { server, client in
            server.onRequest = { request, peer in peer.refuse(request, .notFound) }
            client.start()
            _ = try await client.connected()
            await #expect {
                try await client.call(.ping)
            } throws: { error in
                (error as? ChatClientError)?.code == .notFound
            }
        }
    }

    @Test("a call whose connection is lost fails, and deliver repeats it on the next one")
    func lostConnection() async throws {
        let conversation = try #require(Scene().snapshot(n: 1, []).snapshot).conversation
        try await withServer { server, client in
            var keys: [String] = []
            server.onRequest = { request, peer in
                guard let create = request.body(of: .conversationCreate) else { return }
                keys.append(create.key)
                if keys.count < 3 {
                    peer.abort()
                } else {
                    peer.reply(request, ConversationReply(conversation: conversation))
                }
            }
            client.start()
            _ = try await client.connected()
            let request = ConversationCreateRequest(key: "k1")
            await #expect {
                try await client.call(.conversationCreate, request)
            } throws: { error in
                if case .connectionLost? = error as? ChatClientError { true } else { false }
            }
            _ = try await client.deliver(.conversationCreate, request)
            #expect(keys == ["k1", "k1", "k1"])
            #expect(server.connectionCount == 3)
        }
    }

    @Test("a client reconnects after these close codes", arguments: [1001, 1012, 4000, 4001, 4099])
    func comesBack(code: UInt16) async throws {
        try await withServer { server, client in
            let second = LoopPromise<Void, Never>(client.loop)
            server.onConnection = { peer in
                if peer.number == 1 { peer.close(code) } else { second.succeed(()) }
            }
            client.start()
            await second.value {}
            #expect(server.connectionCount == 2)
        }
    }

    @Test(
        "a client does not reconnect after these close codes",
        arguments: [4100, 4101, 4200, 1003, 1008]
    )
    func staysAway(code: UInt16) async throws {
        try await withServer { server, client in
            let end = LoopPromise<ChatClientError, Never>(client.loop)
            client.onState = { state in
                if case .ended(let error) = state { end.succeed(error) }
            }
            server.onConnection = { $0.close(code) }
            client.start()
            switch await end.value(cancelled: {}) {
            case .signInNeeded: #expect((4100...4199).contains(code))
            case .turnedAway(let told, _): #expect(told == code)
            case let other: Issue.record("\(other)")
            }
            #expect(server.connectionCount == 1)
        }
    }

    @Test("the client reconnects if the connection ends before the upgrade")
    func cutOffInTheHandshake() async throws {
        try await EventLoop.run { loop in
            let second = LoopPromise<Void, Never>(loop)
            var count = 0
            let listener = try Listener(loop: loop, address: .ipv4(0x7F00_0001, port: 0)) {
                count += 1
                // The client sees the end of the stream where the response should begin.
                $0.closeAfterFlush()
                if count == 2 { second.succeed(()) }
            }
            let url = HTTPOrigin(host: "127.0.0.1", port: listener.address.port ?? 0)
            var configuration = ChatClient.Configuration(server: url, token: "secret")
            configuration.backOff = BackOff(first: .milliseconds(1))
            let client = ChatClient(loop: loop, configuration: configuration)
            client.start()
            await second.value {}
            client.close()
            listener.close()
        }
    }

    @Test("an invalid token ends the client at the handshake")
    func refusedHandshake() async throws {
        try await withServer { server, client in
            server.refusal = .unauthorized
            client.start()
            await #expect {
                try await client.connected()
            } throws: { error in
                if case .signInNeeded? = error as? ChatClientError { true } else { false }
            }
        }
    }

    @Test("the client reconnects if the server is silent")
    func silence() async throws {
        try await EventLoop.run { loop in
            let server = try ScriptedServer(loop)
            server.isMute = true
            let second = LoopPromise<Void, Never>(loop)
            server.onConnection = { if $0.number == 2 { second.succeed(()) } }
            var configuration = ChatClient.Configuration(server: server.url, token: "secret")
            configuration.silenceLimit = .milliseconds(40)
            configuration.backOff = BackOff(first: .milliseconds(1))
            let client = ChatClient(loop: loop, configuration: configuration)
            client.start()
            await second.value {}
            client.close()
            server.close()
        }
    }

    @Test("calls after close fail at once")
    func closed() async throws {
        try await withServer { _, client in
            client.start()
            _ = try await client.connected()
            client.close()
            await #expect {
                try await client.call(.ping)
            } throws: { error in
                if case .closed? = error as? ChatClientError { true } else { false }
            }
        }
    }
}
