// The bytes that wait to be sent: whole arrays in a row, shared with whoever else holds them, and
// between them arrays of our own, into which short writes are gathered. Nothing is held while nothing
// waits.

package import CLinux

/// A queue of byte arrays with the place up to which the first one has gone.
package struct WriteQueue {
    /// How many arrays one system call takes at most; the kernel's own limit is 1024.
    package static let vectorsMax = 64

    /// The room of an array of our own at first, and how much is gathered in one at most.
    private static let ownBytesMin = 2 << 10
    package static let ownBytesMax = 16 << 10

    private var pieces: [[UInt8]] = []
    /// The first piece that has not gone wholly, and how much of it has.
    private var head = 0
    private var headOffset = 0
    package private(set) var byteCount = 0
    /// Whether the last piece is our own, so that more can be written into it.
    private var endsWithOwn = false

    /// An empty queue.
    package init() {}

    package var isEmpty: Bool { byteCount == 0 }

    /// Adds `piece`, which is kept, not copied.
    package mutating func append(_ piece: [UInt8]) {
        guard !piece.isEmpty else { return }
        pieces.append(piece)
        byteCount += piece.count
        endsWithOwn = false
    }

    /// Adds copies of `head` and `body`: where many short ones wait they are one piece, and cost
    /// neither an allocation nor a vector each.
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
        // In place: nobody else holds this array.
        pieces[pieces.count - 1].append(contentsOf: head)
        pieces[pieces.count - 1].append(contentsOf: body)
        byteCount += count
    }

    /// How many arrays wait.
    var pieceCount: Int { pieces.count - head }

    /// Whether it holds memory of its own; an empty one does not.
    package var holdsMemory: Bool { pieces.capacity > 0 }

    /// Forgets everything.
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

    /// Enters one array after the other, for their pointers are valid within the calls only.
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

    /// Calls `body` with the bytes of the first piece that have not gone.
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

    /// Takes off the first `count` bytes, which have gone.
    package mutating func consume(_ count: Int) {
        precondition(count <= byteCount, "more went than waited")
        byteCount -= count
        // What an idle connection holds is held ten thousand times.
        guard byteCount > 0 else { return removeAll() }
        headOffset += count
        while headOffset >= pieces[head].count {
            headOffset -= pieces[head].count
            pieces[head] = []
            head += 1
        }
        // Moving the rest down costs as much as it frees only once in a while.
        if head > 32, head * 2 > pieces.count {
            pieces.removeFirst(head)
            head = 0
        }
    }
}
