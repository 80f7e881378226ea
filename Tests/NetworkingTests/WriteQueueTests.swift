import CLinux
import Networking
import TestSupport
import Testing

@Suite("Write queue")
struct WriteQueueTests {
    /// The bytes for one system call.
    private func firstBytes(_ queue: borrowing WriteQueue) -> [UInt8] {
        queue.withVectors { vectors in
            vectors.flatMap { UnsafeRawBufferPointer(start: $0.iov_base, count: $0.iov_len) }
        }
    }

    @Test("bytes are sent in order, however they are split")
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

    @Test("one system call gets at most 64 pieces")
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
        let address = queue.withVectors { UInt(bitPattern: $0[0].iov_base) }
        #expect(shared.bytes.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } == address)
    }

    /// Appends copies of two arrays.
    private func append(_ queue: inout WriteQueue, _ head: [UInt8], _ body: [UInt8]) {
        head.withUnsafeBytes { head in
            body.withUnsafeBytes { body in queue.append(copying: head, body) }
        }
    }

    @Test("short copies are gathered in one piece, shared arrays are not copied")
    func gathered() {
        var queue = WriteQueue()
        let shared = SharedBytes(pattern(100))
        var expected: [UInt8] = []
        for index in 0..<20 {
            append(&queue, [1, 2], pattern(index))
            expected += [1, 2] + pattern(index)
        }
        #expect(queue.withVectors { $0.count } == 1)
        queue.append(shared.bytes)
        append(&queue, [3], [])
        append(&queue, [], [4])
        #expect(queue.withVectors { $0.count } == 3)
        #expect(firstBytes(queue) == expected + pattern(100) + [3, 4])
        #expect(shared.bytes == pattern(100))
    }

    @Test("more can be gathered after a part was sent")
    func gatheredAfterPart() {
        var queue = WriteQueue()
        append(&queue, [1, 2], [3, 4])
        queue.consume(3)
        append(&queue, [5], [6])
        #expect(firstBytes(queue) == [4, 5, 6])
        #expect(queue.byteCount == 3)
    }

    @Test("a long copy is a separate piece, and the size of pieces is bounded")
    func longCopies() {
        var queue = WriteQueue()
        append(&queue, [1], [])
        append(&queue, [], pattern(WriteQueue.ownBytesMax))
        append(&queue, [2], [])
        #expect(queue.withVectors { $0.count } == 3)
        #expect(firstBytes(queue) == [1] + pattern(WriteQueue.ownBytesMax) + [2])
    }

    @Test("a queue is one word, and empty when all is sent")
    func idle() {
        #expect(MemoryLayout<WriteQueue>.size == 8)
        var queue = WriteQueue()
        for _ in 0..<100 { append(&queue, pattern(10), pattern(1000)) }
        queue.append(pattern(10))
        while queue.byteCount > 0 { queue.consume(min(queue.byteCount, 700)) }
        let isEmpty = queue.isEmpty
        #expect(isEmpty)
    }
}
