// The send queue: arrays, possibly shared with other queues, and between them our own arrays, in
// which short writes are gathered. An empty queue holds no memory.

package import CLinux

/// A queue of byte arrays with the offset up to which the first one has been sent.
package struct WriteQueue {
    /// Maximum arrays for one system call; the kernel's limit is 1024.
    package static let vectorsMax = 64

    /// The initial capacity of an own array, and the maximum that is gathered in one.
    private static let ownBytesMin = 2 << 10
    package static let ownBytesMax = 16 << 10

    private var pieces: [[UInt8]] = []
    /// The first piece that is not fully sent, and the number of its bytes that are.
    private var head = 0
    private var headOffset = 0
    package private(set) var byteCount = 0
    /// Whether the last piece is our own, so that more can be appended to it.
    private var endsWithOwn = false

    /// An empty queue.
    package init() {}

    package var isEmpty: Bool { byteCount == 0 }

    /// Appends `piece` without a copy.
    package mutating func append(_ piece: [UInt8]) {
        guard !piece.isEmpty else { return }
        pieces.append(piece)
        byteCount += piece.count
        endsWithOwn = false
    }

    /// Appends copies of `head` and `body`: many short ones become one piece, without an allocation
    /// or a vector for each.
    package mutating func append(
        copying head: UnsafeRawBufferPointer,
        _ body: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
    ) {
        let count = head.count + body.count
        guard count > 0 else { return }
        if !endsWithOwn || pieces[pieces.count - 1].count + count > Self.ownBytesMax {
            var own: [UInt8] = []
            own.reserveCapacity(max(count, Self.ownBytesMin))
            pieces.append(own)
            endsWithOwn = true
        }
        // In place: this array has no other reference.
        pieces[pieces.count - 1].append(contentsOf: head)
        pieces[pieces.count - 1].append(contentsOf: body)
        byteCount += count
    }

    /// The number of queued arrays.
    var pieceCount: Int { pieces.count - head }

    /// Whether it holds memory; an empty one does not.
    package var holdsMemory: Bool { pieces.capacity > 0 }

    /// Removes everything.
    package mutating func removeAll() { self = WriteQueue() }

    /// Calls `body` with the first bytes as vectors for writev(2) or sendmsg(2).
    package func withVectors<Result>(_ body: (UnsafeMutableBufferPointer<iovec>) -> Result)
        -> Result
    {
        let count = min(pieces.count - head, Self.vectorsMax)
        return withUnsafeTemporaryAllocation(of: iovec.self, capacity: count) { vectors in
            fill(vectors, from: 0, body)
        }
    }

    /// Recursive, since the arrays' pointers are valid only within the calls.
    private func fill<Result>(
        _ vectors: UnsafeMutableBufferPointer<iovec>,
        from index: Int,
        _ body: (UnsafeMutableBufferPointer<iovec>) -> Result
    ) -> Result {
        guard index < vectors.count else { return body(vectors) }
        return pieces[head + index].withUnsafeBytes { bytes in
            let rest = UnsafeRawBufferPointer(
                rebasing: bytes.dropFirst(index == 0 ? headOffset : 0)
            )
            vectors.initializeElement(
                at: index,
                to: iovec(
                    iov_base: UnsafeMutableRawPointer(mutating: rest.baseAddress),
                    iov_len: rest.count
                )
            )
            return fill(vectors, from: index + 1, body)
        }
    }

    /// Calls `body` with the unsent bytes of the first piece.
    package func withFirst<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard head < pieces.count else {
            return try body(UnsafeRawBufferPointer(start: nil, count: 0))
        }
        let result = pieces[head].withUnsafeBytes { bytes -> Swift.Result<Result, Failure> in
            let rest = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(headOffset))
            do throws(Failure) { return .success(try body(rest)) } catch { return .failure(error) }
        }
        return try result.get()
    }

    /// Removes the first `count` bytes after they were sent.
    package mutating func consume(_ count: Int) {
        precondition(count <= byteCount, "more bytes sent than queued")
        byteCount -= count
        // Frees all memory, since there are many idle connections.
        guard byteCount > 0 else { return removeAll() }
        headOffset += count
        while headOffset >= pieces[head].count {
            headOffset -= pieces[head].count
            pieces[head] = []
            head += 1
        }
        // Only once in a while, when moving the rest costs no more than it frees.
        if head > 32, head * 2 > pieces.count {
            pieces.removeFirst(head)
            head = 0
        }
    }
}
