import EventLoop
import Gateway
import Glibc
import Networking
import Testing
import WebSocketProtocol

@Suite("WebSockets on streams")
struct WebSocketStreamTests {
    @Test("all replies to one read are sent with one system call")
    func oneSend() async throws {
        try await EventLoop.run { loop in
            let peer = try SocketWithBounds(loop, RecordingEcho())
            let texts = (0..<16).map { "message \($0)" }
            peer.send(Array(texts.flatMap { clientFrame(.text, $0) }))
            try await turn(loop)
            #expect(peer.receive() == Array(texts.flatMap { textFrame($0) }))
            #expect(peer.receive() == nil)
            peer.webSocket.stream.close()
        }
    }

    @Test("messages are echoed complete and with their type, also from fragments around a ping")
    func kinds() async throws {
        try await EventLoop.run { loop in
            let peer = try SocketWithBounds(loop, RecordingEcho())
            peer.send(
                clientFrame(.binary, "abc"),
                clientFrame(.text, "one ", isFinal: false),
                clientFrame(.ping, "?"),
                clientFrame(.continuation, "text")
            )
            try await turn(loop)
            var answers: [UInt8] = []
            while let bytes = peer.receive() { answers += bytes }
            let expected: [UInt8] =
                WebSocketFrame.encode(binary: Array("abc".utf8))
                + WebSocketFrame.encode(.pong, Array("?".utf8)) + textFrame("one text")
            #expect(answers == expected)
            peer.webSocket.stream.close()
        }
    }

    @Test("a close frame gets a reply, and the connection is closed without waiting for the peer")
    func closed() async throws {
        try await EventLoop.run { loop in
            let handler = RecordingEcho()
            let peer = try SocketWithBounds(loop, handler)
            let close: [UInt8] = [0x88, 0x82, 0, 0, 0, 0, 0x03, 0xE8]
            peer.send(close, clientFrame(.text, "too late"))
            try await turn(loop)
            #expect(peer.receive() == [0x88, 0x02, 0x03, 0xE8])
            #expect(peer.receive() == [])
            #expect(handler.told == ["opened", "received close", "closed"])
            #expect(!peer.webSocket.stream.isOpen)
        }
    }

    @Test("a protocol error is answered with its close code; messages before it are handled")
    func protocolError() async throws {
        try await EventLoop.run { loop in
            let handler = RecordingEcho()
            let peer = try SocketWithBounds(loop, handler)
            peer.send(clientFrame(.text, "right"), [0x81, 0x01, 0x61])
            try await turn(loop)
            let answer = try #require(peer.receive())
            let right = textFrame("right")
            #expect(answer.starts(with: right))
            // A close frame with 1002, protocol error.
            #expect(answer[right.count] == 0x88)
            #expect(answer[(right.count + 2)...].starts(with: [0x03, 0xEA]))
            peer.webSocket.stream.close()
        }
    }

    @Test("messages published in one turn reach every member of a topic as one piece")
    func topic() async throws {
        try await EventLoop.run { loop in
            let compression = FrameCompression(PerMessageDeflate())
            let topic = Topic(loop: loop, compression: compression)
            var forwarded: [[UInt8]] = []
            topic.forward = { forwarded.append($0.bytes) }
            let handler = Publisher(topic)
            let peers = try (0..<5).map { _ in try SocketWithBounds(loop, handler) }
            peers[1].send(clientFrame(.text, "a"), clientFrame(.text, "b"))
            peers[3].send(clientFrame(.text, "c"))
            try await turn(loop)
            let expected = textFrame("a") + textFrame("b") + textFrame("c")
            for peer in peers {
                #expect(peer.receive() == expected)
                #expect(peer.receive() == nil)
            }
            #expect(forwarded == [expected])
            topic.deliver(SharedBytes(textFrame("from elsewhere")))
            try await turn(loop)
            #expect(peers.allSatisfy { $0.receive() == textFrame("from elsewhere") })
            for peer in peers { peer.webSocket.stream.close() }
            try await turn(loop)
            #expect(topic.memberCount == 0)
        }
    }

    @Test("idle members are pinged once a round, and time out")
    func keepAlive() async throws {
        let clock = ManualClock()
        try await EventLoop.run(clock: clock) { loop in
            let keepAlive = KeepAlive(loop: loop)
            let handler = RecordingEcho()
            let peers = try (0..<3).map { _ in try SocketWithBounds(loop, handler) }
            for peer in peers { peer.webSocket.join(keepAlive) }
            peers[1].webSocket.stream.close()

            try await pass(seconds: 25, clock, loop)
            for peer in [peers[0], peers[2]] {
                #expect(peer.receive() == [0x89, 0])
                #expect(peer.receive() == nil)
            }
            try await pass(seconds: 25, clock, loop)
            peers[2].send(clientFrame(.pong, ""))
            try await pass(seconds: 25, clock, loop)
            #expect(handler.told.filter { $0 == "fell silent" }.count == 1)
            #expect(!peers[0].webSocket.isOpen)
            #expect(peers[2].webSocket.isOpen)
            for peer in peers { peer.webSocket.stream.close() }
        }
    }

    @Test("the pings of many members are spread over the round")
    func manyMembers() async throws {
        let clock = ManualClock()
        try await EventLoop.run(clock: clock) { loop in
            let keepAlive = KeepAlive(loop: loop)
            let handler = RecordingEcho()
            let peers = try (0..<100).map { _ in try SocketWithBounds(loop, handler) }
            for peer in peers { peer.webSocket.join(keepAlive) }
            // New members are not pinged; from the second round on all are.
            try await pass(seconds: 25, clock, loop)
            for peer in peers { _ = peer.receive() }
            var most = 0
            var total = 0
            for _ in 0..<250 {
                clock.advance(by: .milliseconds(100))
                try await turn(loop)
                let count = peers.count { $0.receive() != nil }
                most = max(most, count)
                total += count
            }
            #expect(total == peers.count)
            #expect(most <= 3)
            for peer in peers { peer.webSocket.stream.close() }
        }
    }

    @Test("a member that has connected or sent a message within half a round is not pinged")
    func heard() async throws {
        let clock = ManualClock()
        try await EventLoop.run(clock: clock) { loop in
            let keepAlive = KeepAlive(loop: loop)
            let handler = RecordingEcho()
            let peers = try (0..<100).map { _ in try SocketWithBounds(loop, handler) }
            for peer in peers { peer.webSocket.join(keepAlive) }
            try await pass(seconds: 12, clock, loop)
            #expect(peers.allSatisfy { $0.receive() == nil })
            for _ in 0..<10 {
                for peer in peers { peer.send(clientFrame(.pong, "")) }
                try await pass(seconds: 12, clock, loop)
            }
            #expect(peers.allSatisfy { $0.receive() == nil })
            #expect(peers.allSatisfy { $0.webSocket.isOpen })
            // Another one and a half rounds later all have been pinged, with time left for the
            // pong.
            try await pass(seconds: 26, clock, loop)
            #expect(peers.allSatisfy { $0.receive() == [0x89, 0] })
            #expect(peers.allSatisfy { $0.webSocket.isOpen })
            for peer in peers { peer.webSocket.stream.close() }
        }
    }

    @Test("a peer is not idle while reading is paused; the idle time starts when reading resumes")
    func pausedReading() async throws {
        let clock = ManualClock()
        try await EventLoop.run(clock: clock) { loop in
            let handler = RecordingEcho()
            let peer = try SocketWithBounds(loop, handler)
            peer.webSocket.join(KeepAlive(loop: loop))
            peer.webSocket.stream.pauseReading()
            peer.send(clientFrame(.pong, ""))
            try await pass(seconds: 200, clock, loop)
            #expect(peer.webSocket.isOpen)
            // It is pinged anyway, because of intermediaries that close idle connections.
            for _ in 0..<7 { #expect(peer.receive() == [0x89, 0]) }
            peer.webSocket.stream.resumeReading()
            try await pass(seconds: 50, clock, loop)
            #expect(peer.webSocket.isOpen)
            #expect(!handler.told.contains("fell silent"))
            try await pass(seconds: 50, clock, loop)
            #expect(handler.told.contains("fell silent"))
            peer.webSocket.stream.close()
        }
    }

    @Test("an idle WebSocket and its stream hold 208 bytes, also after a message in parts")
    func idleMemory() async throws {
        try await EventLoop.run { loop in
            // malloc gives 16 more where it has a free chunk of that size: the least counts.
            var bytes = (socket: Int.max, stream: Int.max)
            let peers = try (0..<16).map { _ in try SocketWithBounds(loop, RecordingEcho()) }
            for peer in peers {
                peer.send(clientFrame(.text, "in ", isFinal: false))
                try await turn(loop)
                #expect(peer.webSocket.bufferedByteCount == 3)
                peer.send(clientFrame(.continuation, "parts"))
                try await turn(loop)
                #expect(peer.receive() == textFrame("in parts"))
                bytes.socket = min(bytes.socket, allocatedByteCount(peer.webSocket))
                bytes.stream = min(bytes.stream, allocatedByteCount(peer.webSocket.stream))
            }
            #expect(bytes == (88, 120))
            for peer in peers { peer.webSocket.stream.close() }
        }
    }
}

/// Advances the clock from one visit of the wheel to the next.
private func pass(seconds: Int, _ clock: ManualClock, _ loop: EventLoop) async throws {
    for _ in 0..<seconds * 10 {
        clock.advance(by: .milliseconds(100))
        try await turn(loop)
    }
}

/// The size of an object's allocation as glibc rounds it, which AddressSanitizer's allocator does not.
/// Swift's Glibc module lacks the function.
private func allocatedByteCount(_ object: AnyObject) -> Int {
    typealias Function = @convention(c) (UnsafeMutableRawPointer) -> Int
    let function = unsafeBitCast(dlsym(nil, "malloc_usable_size"), to: Function.self)
    let count = function(Unmanaged.passUnretained(object).toOpaque())
    return (count + 23) / 16 * 16 - 8
}
