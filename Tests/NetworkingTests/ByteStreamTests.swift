import EventLoop
import Glibc
import Networking
import Testing

// Safety: read only after the loop's thread was joined.
private final class WeakStream: @unchecked Sendable {
    weak var stream: ByteStream?
    init(_ stream: ByteStream) { self.stream = stream }
}

@Suite("Byte streams")
struct ByteStreamTests {
    /// A stream and the raw descriptor of its peer, which the test closes.
    private func streamAndPeer(
        _ loop: EventLoop,
        limits: StreamLimits = StreamLimits()
    ) throws -> (ByteStream, RecordingHandler, Int32) {
        let (stream, peer) = try ByteStream.pair(loop: loop, limits: limits)
        let handler = RecordingHandler()
        stream.handler = handler
        let raw = dup(try #require(peer.descriptorNumber))
        peer.close()
        return (stream, handler, raw)
    }

    @Test("an echo over TCP returns a megabyte, and both sides close orderly")
    func echo() async throws {
        try await EventLoop.run { loop in
            let listener = try Listener(loop: loop, address: anyPort) { $0.handler = EchoHandler() }
            let stream = try await StreamConnector.connect(
                loop: loop,
                to: listener.address,
                deadline: .seconds(30)
            )
            let handler = RecordingHandler()
            stream.handler = handler
            let sent = pattern(1 << 20)
            for start in stride(from: 0, to: sent.count, by: 50_000) {
                stream.write(Array(sent[start..<min(sent.count, start + 50_000)]))
            }
            stream.finishWriting()
            await handler.wait(loop) { $0.closedCount > 0 }
            #expect(handler.received == sent)
            #expect(handler.hasEnded)
            #expect(handler.error == nil)
            listener.close()
        }
    }

    @Test("after a half-close the other direction still works")
    func halfClose() async throws {
        try await EventLoop.run { loop in
            let (one, other) = try ByteStream.pair(loop: loop)
            let (left, right) = (RecordingHandler(), RecordingHandler())
            one.handler = left
            other.handler = right
            one.write(Array("question".utf8))
            one.finishWriting()
            one.write(Array("too late".utf8))
            await right.wait(loop) { $0.hasEnded }
            #expect(right.text == "question")
            other.write(Array("answer".utf8))
            await left.wait(loop) { $0.text == "answer" }
            #expect(one.isOpen && other.isOpen)
            other.finishWriting()
            await left.wait(loop) { $0.closedCount == 1 }
            await right.wait(loop) { $0.closedCount == 1 }
            #expect(left.error == nil && right.error == nil)
            #expect(one.handler == nil)
        }
    }

    @Test("writes of one turn are sent in one piece at its end")
    func flushOncePerTurn() async throws {
        try await EventLoop.run { loop in
            let (stream, _, peer) = try streamAndPeer(loop)
            for _ in 0..<10 { stream.write(Array("0123456789".utf8)) }
            var bytes = [UInt8](repeating: 0, count: 1000)
            #expect(recv(peer, &bytes, 1000, Int32(MSG_DONTWAIT)) == -1)
            #expect(stream.queuedByteCount == 100)
            try await loop.sleep(for: .zero)
            #expect(recv(peer, &bytes, 1000, Int32(MSG_DONTWAIT)) == 100)
            #expect(stream.queuedByteCount == 0)
            close(peer)
        }
    }

    @Test("a slow consumer fills the queue to its high mark; reading drains it, reported once")
    func backPressure() async throws {
        try await EventLoop.run { loop in
            let (one, other) = try ByteStream.pair(loop: loop)
            let (writer, reader) = (RecordingHandler(), RecordingHandler())
            one.handler = writer
            other.handler = reader
            other.pauseReading()
            let piece = SharedBytes(pattern(10_000))
            var count = 0
            while !one.isAboveHighMark {
                one.write(piece)
                count += 1
                try await loop.sleep(for: .zero)
            }
            #expect(one.queuedByteCount > one.limits.writeHighMark)
            #expect(writer.drainedCount == 0)
            other.resumeReading()
            await writer.wait(loop) { $0.drainedCount == 1 }
            #expect(!one.isAboveHighMark)
            #expect(one.queuedByteCount <= one.limits.writeLowMark)
            await reader.wait(loop) { $0.received.count == count * 10_000 }
            one.close()
            other.close()
        }
    }

    @Test("a write above the limit closes the stream with a typed error, after the call")
    func writeLimit() async throws {
        try await EventLoop.run { loop in
            let limits = StreamLimits(
                writeLowMark: 10,
                writeHighMark: 100,
                writeByteLimit: 1000
            )
            let (stream, handler, peer) = try streamAndPeer(loop, limits: limits)
            stream.write(pattern(1000))
            #expect(stream.isOpen)
            stream.write([1])
            #expect(!stream.isOpen)
            #expect(handler.closedCount == 0)
            stream.write([2])
            await handler.wait(loop) { $0.closedCount > 0 }
            #expect(handler.error == .writeQueueFull(byteLimit: 1000))
            close(peer)
        }
    }

    @Test("a reset is reported to the handler, and writing to a closed peer raises no signal")
    func reset() async throws {
        try await EventLoop.run { loop in
            let (stream, handler, peer) = try streamAndPeer(loop)
            stream.write([1])
            try await loop.sleep(for: .zero)
            // Closing a Unix socket with unread bytes resets it.
            close(peer)
            stream.write([2])
            await handler.wait(loop) { $0.closedCount > 0 }
            #expect(handler.error == .reset)
            #expect(handler.closedCount == 1)
        }
    }

    @Test("a handler that closes its stream while receiving gets no more bytes")
    func closeWithinReceive() async throws {
        try await EventLoop.run { loop in
            let (_, handler, peer) = try streamAndPeer(loop)
            handler.onReceive = { stream, _ in
                stream.close()
                stream.close()
            }
            send(peer, "abc", 3, 0)
            await handler.wait(loop) { $0.closedCount > 0 }
            try await loop.sleep(for: .zero)
            #expect(handler.closedCount == 1)
            #expect(handler.text == "abc")
            #expect(!handler.hasEnded)
            close(peer)
        }
    }

    @Test("the last bytes reach a peer that is still sending")
    func closeAfterFlush() async throws {
        try await EventLoop.run { loop in
            let listener = try Listener(loop: loop, address: anyPort) { stream in
                let handler = RecordingHandler()
                handler.onReceive = { stream, _ in
                    stream.write(pattern(200_000))
                    stream.closeAfterFlush()
                }
                stream.handler = handler
            }
            let stream = try await StreamConnector.connect(
                loop: loop,
                to: listener.address,
                deadline: .seconds(30)
            )
            let handler = RecordingHandler()
            stream.handler = handler
            stream.write(pattern(500_000))
            await handler.wait(loop) { $0.hasEnded || $0.closedCount > 0 }
            #expect(handler.received == pattern(200_000))
            stream.close()
            listener.close()
        }
    }

    @Test("closing does not wait for a peer that has announced its end")
    func closeWithoutWaiting() async throws {
        try await EventLoop.run { loop in
            let (stream, handler, peer) = try streamAndPeer(loop)
            stream.write(Array("bye".utf8))
            stream.closeAfterFlush(awaitingPeer: false)
            await handler.wait(loop) { $0.closedCount > 0 }
            #expect(handler.error == nil)
            var bytes = [UInt8](repeating: 0, count: 100)
            #expect(recv(peer, &bytes, 100, Int32(MSG_DONTWAIT)) == 3)
            #expect(recv(peer, &bytes, 100, Int32(MSG_DONTWAIT)) == 0)
            close(peer)
        }
    }

    @Test("unread bytes do not make a peer lose our last bytes")
    func closeWithUnreadBytes() async throws {
        try await EventLoop.run { loop in
            let (stream, handler, peer) = try streamAndPeer(loop)
            send(peer, "unread", 6, 0)
            stream.write(Array("bye".utf8))
            stream.closeAfterFlush(awaitingPeer: false)
            try await loop.sleep(for: .zero)
            var bytes = [UInt8](repeating: 0, count: 100)
            #expect(recv(peer, &bytes, 100, Int32(MSG_DONTWAIT)) == 3)
            #expect(recv(peer, &bytes, 100, Int32(MSG_DONTWAIT)) == 0, "an end, and no reset")
            close(peer)
            await handler.wait(loop) { $0.closedCount > 0 }
            #expect(handler.error == nil)
            #expect(handler.received.isEmpty)
        }
    }

    @Test("a peer that keeps sending while we wait for its end is closed")
    func closeByteLimit() async throws {
        try await EventLoop.run(clock: ManualClock()) { loop in
            let limits = StreamLimits(closeByteLimit: 1000)
            let (stream, handler, peer) = try streamAndPeer(loop, limits: limits)
            stream.closeAfterFlush()
            send(peer, pattern(1000), 1000, 0)
            for _ in 0..<5 { try await loop.sleep(for: .zero) }
            #expect(stream.isOpen)
            send(peer, "x", 1, 0)
            await handler.wait(loop) { $0.closedCount > 0 }
            #expect(handler.error == nil)
            close(peer)
        }
    }

    @Test(
        "copies of one turn are sent in one piece at its end, and at once if they fill the buffer"
    )
    func copies() async throws {
        try await EventLoop.run { loop in
            let (stream, _, peer) = try streamAndPeer(loop)
            let (head, body) = (pattern(4), pattern(100))
            func writeOnce() {
                head.withUnsafeBytes { head in
                    body.withUnsafeBytes { stream.write(copying: head, $0) }
                }
            }
            var bytes = [UInt8](repeating: 0, count: 100_000)
            for _ in 0..<10 { writeOnce() }
            #expect(recv(peer, &bytes, 100_000, Int32(MSG_DONTWAIT)) == -1)
            try await loop.sleep(for: .zero)
            #expect(recv(peer, &bytes, 100_000, Int32(MSG_DONTWAIT)) == 1040)
            for _ in 0..<200 { writeOnce() }
            #expect(recv(peer, &bytes, 100_000, Int32(MSG_DONTWAIT)) >= 16 << 10)
            #expect(stream.queuedByteCount < 16 << 10)
            close(peer)
        }
    }

    @Test("a peer that never reads is closed after the timeout")
    func closeLimit() async throws {
        let clock = ManualClock()
        try await EventLoop.run(clock: clock) { loop in
            let (stream, handler, peer) = try streamAndPeer(loop)
            stream.write(pattern(4 << 20))
            stream.closeAfterFlush()
            try await loop.sleep(for: .zero)
            #expect(stream.isOpen)
            clock.advance(by: stream.limits.closeLimit)
            await handler.wait(loop) { $0.closedCount > 0 }
            #expect(handler.error == nil)
            close(peer)
        }
    }

    @Test("nothing is read without a handler or while reading is paused")
    func pause() async throws {
        try await EventLoop.run { loop in
            let (one, other) = try ByteStream.pair(loop: loop)
            other.write(Array("early".utf8))
            for _ in 0..<3 { try await loop.sleep(for: .zero) }
            let handler = RecordingHandler()
            one.pauseReading()
            one.handler = handler
            for _ in 0..<3 { try await loop.sleep(for: .zero) }
            #expect(handler.received.isEmpty)
            one.resumeReading()
            await handler.wait(loop) { $0.text == "early" }
            one.close()
            other.close()
        }
    }

    @Test("an open stream is closed, and its handler notified, when the loop ends")
    func loopEndsInOrder() async throws {
        let watched = try await EventLoop.run { loop in
            let (one, other) = try ByteStream.pair(loop: loop)
            // Each of these retains its stream, and the stream retains it.
            let (left, right) = (AsyncByteStream(one), AsyncByteStream(other))
            return [WeakStream(left.stream), WeakStream(right.stream)]
        }
        #expect(watched.allSatisfy { $0.stream == nil })
    }

    @Test("an open stream ends with its loop")
    func loopEnds() async throws {
        let peer = try await EventLoop.run { loop in
            let (_, _, peer) = try streamAndPeer(loop)
            return peer
        }
        var byte: UInt8 = 0
        #expect(recv(peer, &byte, 1, Int32(MSG_DONTWAIT)) == 0)
        close(peer)
    }
}
