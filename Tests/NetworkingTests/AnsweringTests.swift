// Writes by handlers during their calls, and events that are reported only once.

import EventLoop
import Glibc
import Networking
import Testing

@Suite("Replies from handlers")
struct AnsweringTests {
    /// Writes copies of two pieces.
    private func copy(_ head: [UInt8], _ body: [UInt8] = [], into stream: ByteStream) {
        head.withUnsafeBytes { head in
            body.withUnsafeBytes { stream.write(copying: head, $0) }
        }
    }

    @Test("writes of every kind are sent in order")
    func order() async throws {
        try await EventLoop.run { loop in
            let (one, other) = try ByteStream.pair(loop: loop)
            let (asker, answerer) = (RecordingHandler(), RecordingHandler())
            answerer.onReceive = { [self] stream, _ in
                copy([1, 2], [3], into: stream)
                copy([4], into: stream)
                stream.write(SharedBytes([5, 6]))
                copy([7], [8, 9], into: stream)
                stream.write([10])
            }
            one.handler = asker
            other.handler = answerer
            one.write([0])
            await asker.wait(loop) { $0.received.count == 10 }
            #expect(asker.received == Array(1...10))
            one.close()
            other.close()
        }
    }

    @Test(
        "replies that exceed the gather buffer and the socket buffer arrive complete and in order"
    )
    func plenty() async throws {
        try await EventLoop.run { loop in
            let (one, other) = try ByteStream.pair(loop: loop)
            let (asker, answerer) = (RecordingHandler(), RecordingHandler())
            let pieces = [1, 100, 15_000, 2000, 16_384, 3, 40_000, 900_000, 5, 300_000].map(pattern)
            answerer.onReceive = { [self] stream, _ in
                for piece in pieces { copy([7], piece, into: stream) }
            }
            one.handler = asker
            other.handler = answerer
            one.write([0])
            let expected: [UInt8] = pieces.flatMap { [7] + $0 }
            await asker.wait(loop) { $0.received.count >= expected.count }
            #expect(asker.received == expected)
            #expect(other.queuedByteCount == 0)
            one.close()
            other.close()
        }
    }

    @Test("a reply is sent when its handler has returned, and never after the stream is closed")
    func atOnce() async throws {
        try await EventLoop.run { loop in
            let (one, other) = try ByteStream.pair(loop: loop)
            let (asker, answerer) = (RecordingHandler(), RecordingHandler())
            answerer.onReceive = { [self] stream, bytes in
                copy([1], into: stream)
                #expect(stream.queuedByteCount == 1)
                if bytes.count == 2 { stream.close() }
            }
            one.handler = asker
            other.handler = answerer
            one.write([0])
            await asker.wait(loop) { $0.received == [1] }
            #expect(other.queuedByteCount == 0)
            one.write([0, 0])
            await asker.wait(loop) { $0.hasEnded || $0.closedCount == 1 }
            #expect(asker.received == [1])
            one.close()
        }
    }

    @Test("a handler whose replies exceed the high mark is notified when they are sent")
    func drained() async throws {
        try await EventLoop.run { loop in
            let limits = StreamLimits(writeLowMark: 10, writeHighMark: 100)
            let (one, other) = try ByteStream.pair(loop: loop, limits: limits)
            let (asker, answerer) = (RecordingHandler(), RecordingHandler())
            answerer.onReceive = { [self] stream, _ in
                copy(pattern(200), into: stream)
                #expect(stream.isAboveHighMark)
                stream.pauseReading()
            }
            one.handler = asker
            other.handler = answerer
            for round in 1...3 {
                one.write([0])
                await asker.wait(loop) { $0.received.count == 200 * round }
                #expect(!other.isAboveHighMark)
                other.resumeReading()
            }
            #expect(answerer.drainedCount == 3)
            one.close()
            other.close()
        }
    }

    @Test("bytes sent at once follow queued bytes")
    func sentNow() async throws {
        try await EventLoop.run { loop in
            let (one, other) = try ByteStream.pair(loop: loop)
            let reader = RecordingHandler()
            other.handler = reader
            one.writeNow(SharedBytes([1, 2]))
            #expect(one.queuedByteCount == 0)
            one.write([3])
            one.writeNow(SharedBytes([4]))
            #expect(one.queuedByteCount == 2)
            await reader.wait(loop) { $0.received.count == 4 }
            #expect(reader.received == [1, 2, 3, 4])
            // More than the socket accepts is queued.
            let long = SharedBytes(pattern(1 << 20))
            one.writeNow(long)
            #expect(one.queuedByteCount > 0)
            one.writeNow(SharedBytes([5]))
            await reader.wait(loop) { $0.received.count == 4 + 1 << 20 + 1 }
            #expect(reader.received == [1, 2, 3, 4] + long.bytes + [5])
            one.close()
            other.close()
        }
    }

    /// Readiness is reported once: after a partial read, the rest and the end must still be
    /// delivered.
    @Test(
        "all bytes in the socket before the first read, and the end, are delivered",
        arguments: [1, EventLoop.receiveBufferBytes, EventLoop.receiveBufferBytes + 1, 150_000]
    )
    func leftovers(count: Int) async throws {
        try await EventLoop.run { loop in
            let (stream, closing) = try ByteStream.pair(loop: loop)
            let peer = dup(try #require(closing.descriptorNumber))
            closing.close()
            let sent = pattern(count)
            #expect(send(peer, sent, count, 0) == count)
            close(peer)
            let handler = RecordingHandler()
            stream.handler = handler
            await handler.wait(loop) { $0.hasEnded }
            #expect(handler.received == sent)
            stream.close()
        }
    }

    @Test("bytes received while reading was paused are delivered after it resumes")
    func pauses() async throws {
        try await EventLoop.run { loop in
            let (one, other) = try ByteStream.pair(loop: loop)
            let reader = RecordingHandler()
            other.handler = reader
            for round in 1...20 {
                other.pauseReading()
                one.write(pattern(1000))
                try await loop.sleep(for: .zero)
                try await loop.sleep(for: .zero)
                #expect(reader.received.count == (round - 1) * 1000)
                other.resumeReading()
                await reader.wait(loop) { $0.received.count == round * 1000 }
            }
            one.close()
            other.close()
        }
    }
}
