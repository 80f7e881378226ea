// Following a conversation across reconnects.

import ChatClient
import ChatProtocol
import EventLoop
import Testing

@Suite("Following a conversation", .timeLimit(.minutes(1)))
struct ConversationFollowerTests {
    let scene = Scene()

    @Test("an event right after the watch reply is applied after it")
    func oneSegment() async throws {
        let scene = scene
        try await withServer { server, client in
            server.onRequest = { request, peer in
                peer.reply(request, scene.snapshot(n: 1, [scene.message(scene.answer)]))
                peer.send(scene.delta(0, "Green"))
                peer.send(scene.delta(5, " tea"))
                peer.send(scene.ended(2, stored: "Green tea"))
            }
            client.start()
            let follower = client.follow(scene.conversation)
            let view = try await follower.wait(within: .seconds(20)) { $0.lastEvent == 2 }
            #expect(view.message(scene.answer)?.text == "Green tea")
            #expect(view.message(scene.answer)?.state == .complete)
        }
    }

    @Test("after a reconnect the view catches up from its last event")
    func reconnect() async throws {
        let scene = scene
        try await withServer { server, client in
            var requests: [ConversationWatchRequest] = []
            server.onRequest = { request, peer in
                guard let watch = request.body(of: .conversationWatch) else { return }
                requests.append(watch)
                if peer.number == 1 {
                    peer.reply(request, scene.snapshot(n: 1, [scene.message(scene.answer)]))
                    peer.send(scene.delta(0, "Green"))
                } else {
                    peer.reply(
                        request,
                        ConversationWatchReply(
                            n: 1,
                            events: [],
                            growing: [scene.growing(5, " tea")]
                        )
                    )
                    peer.send(scene.ended(2, stored: "Green tea"))
                }
            }
            var peers: [ScriptedPeer] = []
            server.onConnection = { peers.append($0) }
            client.start()
            let follower = client.follow(scene.conversation)
            _ = try await follower.wait(within: .seconds(20)) {
                $0.message(scene.answer)?.text == "Green"
            }
            peers[0].abort()
            let view = try await follower.wait(within: .seconds(20)) { $0.lastEvent == 2 }
            #expect(view.message(scene.answer)?.text == "Green tea")
            #expect(requests.map(\.after) == [nil, 1])
            #expect(requests[1].have == [scene.answer.description: 5])
        }
    }

    @Test("an end with a wrong digest triggers a new watch")
    func wrongHash() async throws {
        let scene = scene
        try await withServer { server, client in
            var watchCount = 0
            server.onRequest = { request, peer in
                watchCount += 1
                if watchCount == 1 {
                    peer.reply(request, scene.snapshot(n: 1, [scene.message(scene.answer)]))
                    peer.send(scene.delta(0, "Gruen"))
                    peer.send(scene.ended(2, stored: "Green"))
                } else {
                    peer.reply(
                        request,
                        ConversationWatchReply(
                            n: 2,
                            events: [scene.ended(2, stored: "Green", told: true)],
                            growing: []
                        )
                    )
                }
            }
            client.start()
            let view = try await client.follow(scene.conversation).wait(within: .seconds(20)) {
                $0.lastEvent == 2
            }
            #expect(view.message(scene.answer)?.text == "Green")
            #expect(watchCount == 2)
        }
    }

    @Test("numbers of another epoch are dropped")
    func otherEpoch() async throws {
        let scene = scene
        try await withServer { server, client in
            var afters: [Int64?] = []
            server.onRequest = { request, peer in
                guard let watch = request.body(of: .conversationWatch) else { return }
                afters.append(watch.after)
                peer.reply(request, scene.snapshot(n: peer.number == 1 ? 7 : 3, []))
            }
            var peers: [ScriptedPeer] = []
            server.onConnection = { peer in
                server.epoch = "second"
                peers.append(peer)
            }
            client.start()
            let follower = client.follow(scene.conversation)
            _ = try await follower.wait(within: .seconds(20)) { $0.lastEvent == 7 }
            peers.first?.abort()
            _ = try await follower.wait(within: .seconds(20)) { $0.lastEvent == 3 }
            #expect(afters == [nil, nil])
        }
    }

    @Test("following a conversation without permission fails")
    func refused() async throws {
        let scene = scene
        try await withServer { server, client in
            server.onRequest = { request, peer in peer.refuse(request, .notFound) }
            client.start()
            let follower = client.follow(scene.conversation)
            await #expect {
                try await follower.wait(within: .seconds(20)) { $0.lastEvent != nil }
            } throws: { error in
                (error as? ChatClientError)?.code == .notFound
            }
        }
    }
}
