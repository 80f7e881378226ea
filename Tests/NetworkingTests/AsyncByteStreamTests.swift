import EventLoop
import Networking
import Testing

@Suite("Async byte streams")
struct AsyncByteStreamTests {
    @Test("reads end with nil after the peer's last bytes")
    func end() async throws {
        try await EventLoop.run { loop in
            let (one, other) = try ByteStream.pair(loop: loop)
            let (left, right) = (AsyncByteStream(one), AsyncByteStream(other))
            try await left.write(Array("all of it".utf8))
            left.finishWriting()
            var received: [UInt8] = []
            while let bytes = try await right.read() { received += bytes }
            #expect(received == Array("all of it".utf8))
            #expect(try await right.read() == nil)
            right.close()
        }
    }

    @Test("a writer waits while its peer does not read, so memory is bounded")
    func bounded() async throws {
        try await EventLoop.run { loop in
            let (one, other) = try ByteStream.pair(loop: loop)
            let (left, right) = (AsyncByteStream(one), AsyncByteStream(other, byteLimit: 100_000))
            let total = 200 * 50_000
            let writer = loop.spawn {
                for _ in 0..<200 {
                    do { try await left.write(pattern(50_000)) } catch { Issue.record(error) }
                    #expect(one.queuedByteCount <= one.limits.writeHighMark + 50_000)
                }
                left.finishWriting()
            }
            var count = 0
            while let bytes = try await right.read() {
                #expect(bytes.count <= 100_000 + EventLoop.receiveBufferBytes)
                count += bytes.count
            }
            #expect(count == total)
            await writer.wait()
            right.close()
        }
    }

    @Test("a cancelled read closes its stream")
    func cancellation() async throws {
        try await EventLoop.run { loop in
            let (one, other) = try ByteStream.pair(loop: loop)
            let (left, right) = (AsyncByteStream(one), AsyncByteStream(other))
            var failure: NetworkError?
            let reader = loop.spawn {
                do throws(NetworkError) { _ = try await left.read() } catch { failure = error }
            }
            await Task.yield()
            reader.cancel()
            await reader.wait()
            #expect(failure == .cancelled)
            #expect(!one.isOpen)
            #expect(try await right.read() == nil)
            right.close()
        }
    }

    @Test("a lost peer is an error for the writer")
    func lostPeer() async throws {
        try await EventLoop.run { loop in
            let (one, other) = try ByteStream.pair(loop: loop)
            let left = AsyncByteStream(one)
            other.close()
            var failure: NetworkError?
            do throws(NetworkError) {
                while true {
                    try await left.write(pattern(10_000))
                    try? await loop.sleep(for: .zero)
                }
            } catch {
                failure = error
            }
            #expect(failure == .reset)
        }
    }
}
