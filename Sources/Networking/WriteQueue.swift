// The send queue: arrays, possibly shared with other queues, and between them our own arrays, in
// which short writes are gathered. An empty queue is one word.

package import CLinux

/// A queue of byte arrays with the offset up to which the first one has been sent.
package struct WriteQueue: ~Copyable {
    /// Maximum arrays for one system call; the kernel's limit is 1024.
    package static let vectorsMax = 64

    /// The initial capacity of an own array, and the maximum that is gathered in one.
    private static let ownBytesMin = 2 << 10
    package static let ownBytesMax = 16 << 10

    /// What a queue holds that is not empty.
    private final class Content {
        var pieces: [[UInt8]] = []
        /// The first piece that is not fully sent, and the number of its bytes that are.
        var head = 0
        var headOffset = 0
        var byteCount = 0
        /// Whether the last piece is our own, so that more can be appended to it.
        var endsWithOwn = false
    }

    /// Nil if the queue is empty.
    private var content: Content?

    /// An empty queue.
    package init() {}

    package var byteCount: Int { content?.byteCount ?? 0 }

    package var isEmpty: Bool { content == nil }

    /// Appends `piece` without a copy.
    package mutating func append(_ piece: [UInt8]) {
        guard !piece.isEmpty else { return }
        let content = existingOrNew()
        content.pieces.append(piece)
        content.byteCount += piece.count
        content.endsWithOwn = false
    }

    /// Appends copies of `head` and `body`: many short ones become one piece, without an allocation
    /// or a vector for each.
    package mutating func append(
        copying head: UnsafeRawBufferPointer,
        _ body: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
    ) {
        let count = head.count + body.count
        guard count > 0 else { return }
        let content = existingOrNew()
        if !content.endsWithOwn
            || content.pieces[content.pieces.count - 1].count + count > Self.ownBytesMax
        {
            var own: [UInt8] = []
            own.reserveCapacity(max(count, Self.ownBytesMin))
            content.pieces.append(own)
            content.endsWithOwn = true
        }
        // In place: this array has no other reference.
        content.pieces[content.pieces.count - 1].append(contentsOf: head)
        content.pieces[content.pieces.count - 1].append(contentsOf: body)
        content.byteCount += count
    }

    private mutating func existingOrNew() -> Content {
        if let content { return content }
        let made = Content()
        content = made
        return made
    }

    /// The number of queued arrays.
    var pieceCount: Int { content.map { $0.pieces.count - $0.head } ?? 0 }

    /// Removes everything.
    package mutating func removeAll() { content = nil }

    /// Calls `body` with the first bytes as vectors for writev(2) or sendmsg(2).
    package func withVectors<Result>(_ body: (UnsafeMutableBufferPointer<iovec>) -> Result)
        -> Result
    {
        let count = min(pieceCount, Self.vectorsMax)
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
        guard let content, index < vectors.count else { return body(vectors) }
        return content.pieces[content.head + index].withUnsafeBytes { bytes in
            let rest = UnsafeRawBufferPointer(
                rebasing: bytes.dropFirst(index == 0 ? content.headOffset : 0)
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
        guard let content else { return try body(UnsafeRawBufferPointer(start: nil, count: 0)) }
        let piece = content.pieces[content.head]
        let result = piece.withUnsafeBytes { bytes -> Swift.Result<Result, Failure> in
            let rest = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(content.headOffset))
            do throws(Failure) { return .success(try body(rest)) } catch { return .failure(error) }
        }
        return try result.get()
    }

    /// Copies all bytes to the start of `memory`, which has room for them.
    func copy(into memory: UnsafeMutableRawBufferPointer) {
        guard let content else { return }
        var end = 0
        for index in content.head..<content.pieces.count {
            content.pieces[index].withUnsafeBytes { bytes in
                let rest = bytes.dropFirst(index == content.head ? content.headOffset : 0)
                memory[end...].copyBytes(from: rest)
                end += rest.count
            }
        }
    }

    /// Removes the first `count` bytes after they were sent.
    package mutating func consume(_ count: Int) {
        precondition(count <= byteCount, "more bytes sent than queued")
        guard let content else { return }
        content.byteCount -= count
        // Frees all memory, since there are many idle connections.
        guard content.byteCount > 0 else { return removeAll() }
        content.headOffset += count
        while content.headOffset >= content.pieces[content.head].count {
            content.headOffset -= content.pieces[content.head].count
            content.pieces[content.head] = []
            content.head += 1
        }
        // Only once in a while, when moving the rest costs no more than it frees.
        if content.head > 32, content.head * 2 > content.pieces.count {
            content.pieces.removeFirst(content.head)
            content.head = 0
        }
    }
}
