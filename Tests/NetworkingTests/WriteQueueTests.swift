import CLinux
import Networking
import TestSupport
import Testing

@Suite("Write queue")
struct WriteQueueTests {
    /// The bytes that one system call would be given.
    private func firstBytes(_ queue: WriteQueue) -> [UInt8] {
        queue.withVectors { vectors in
            vectors.flatMap { UnsafeRawBufferPointer(start: $0.iov_base, count: $0.iov_len) }
        }
    }

    @Test("bytes leave in the order in which they came, whatever the cuts")
    func order() {
        var generator = SeededGenerator(seed: 7)
        var queue = WriteQueue()
        var expected: [UInt8] = []
        for _ in 0..<2000 {
            for _ in 0..<Int.random(in: 0...4, using: &generator) {
                let piece = pattern(Int.random(in: 0...50, using: &generator))
                queue.append(piece)
                expected += piece
            }
            let offered = firstBytes(queue)
            #expect(expected.starts(with: offered))
            #expect(offered.isEmpty == expected.isEmpty)
            let sent = Int.random(in: 0...offered.count, using: &generator)
            queue.consume(sent)
            expected.removeFirst(sent)
            #expect(queue.byteCount == expected.count)
        }
    }

    @Test("one call is given 64 pieces at most")
    func vectorLimit() {
        var queue = WriteQueue()
        for _ in 0..<100 { queue.append([1]) }
        #expect(queue.withVectors { $0.count } == WriteQueue.vectorsMax)
        queue.consume(64)
        #expect(queue.withVectors { $0.count } == 36)
    }

    @Test("a queued array is shared, not copied")
    func shared() {
        let shared = SharedBytes(pattern(1000))
        var queue = WriteQueue()
        queue.append(shared.bytes)
        let place = queue.withVectors { UInt(bitPattern: $0[0].iov_base) }
        #expect(shared.bytes.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } == place)
    }
}
