// Sends of a turn, handed to the kernel together: with hundreds of them, entering the kernel for
// each costs a quarter of the time. A batch copies what it sends, so no other memory has to stay
// valid, and a stream in the batch has an empty queue.
// docs/decisions/0056-a-batch-of-sends.md has the measurements.

import CLinux
public import EventLoop
import Glibc

/// The sends that streams of a loop have gathered since the latest submission.
///
/// A stream is in it at most once, and nothing is sent for the stream past it: who changes the
/// writing side of such a stream submits the batch first.
package final class SendBatch {
    /// Maximum bytes of one send. For more, copying costs as much as entering the kernel.
    static let sendBytesMax = 4 << 10
    /// Minimum sends for which a batch is worth its copies.
    package static let sendsMin = 8
    /// Maximum sends of one submission.
    package static let sendsMax = 1024
    private static let memoryBytes = 256 << 10

    /// The kernel's side.
    private enum Ring {
        /// Opened for the first batch.
        case unopened
        case open(SendRing)
        /// Refused by the system or the settings: every send is a send(2).
        case refused
    }

    private let loop: EventLoop
    private let ringCapacity: Int
    private var ring = Ring.unopened
    /// The bytes to send, one send after the other.
    private var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private var usedBytes = 0
    private var sends = UnsafeMutableBufferPointer<clinux_send>(start: nil, count: 0)
    /// The stream of each send.
    private var streams: [ByteStream] = []
    /// The bytes of the latest send, if other streams may get them, too.
    private var latestShared: SharedBytes?

    private init(_ loop: EventLoop, ringCapacity: Int) {
        self.loop = loop
        self.ringCapacity = ringCapacity
    }

    deinit {
        memory.deallocate()
        sends.deallocate()
    }

    /// The batch of `loop`, created by the first call.
    /// - Parameters:
    ///   - loop: the loop of the streams.
    ///   - ringCapacity: how many sends one system call takes; tests pass others.
    /// - Returns: the one batch of the loop.
    @discardableResult
    package static func of(_ loop: EventLoop, ringCapacity: Int = sendsMax) -> SendBatch {
        loop.companion { SendBatch(loop, ringCapacity: ringCapacity) }
    }

    /// Whether the system may be asked for a ring.
    var usesRing: Bool {
        get { if case .refused = ring { false } else { true } }
        set { ring = newValue ? .unopened : .refused }
    }

    /// Whether the kernel's ring is open.
    package var hasRing: Bool { if case .open = ring { true } else { false } }

    /// Whether sends should be added of which there are `count` in this turn: they are many, and
    /// the system has a ring.
    func takes(sendCount count: Int) -> Bool {
        guard count >= Self.sendsMin else { return false }
        switch ring {
        case .open: return true
        case .refused: return false
        case .unopened: return open()
        }
    }

    private func open() -> Bool {
        do {
            ring = .open(try SendRing(capacity: ringCapacity))
        } catch {
            ring = .refused
            return false
        }
        memory = .allocate(byteCount: Self.memoryBytes, alignment: 16)
        sends = .allocate(capacity: Self.sendsMax)
        streams.reserveCapacity(Self.sendsMax)
        return true
    }

    // MARK: Adding

    /// Adds a copy of `bytes`, at most `sendBytesMax`.
    func add(_ bytes: UnsafeRawBufferPointer, to stream: ByteStream) {
        makeRoom(for: bytes.count)
        UnsafeMutableRawBufferPointer(rebasing: memory[usedBytes...]).copyMemory(from: bytes)
        add(byteCount: bytes.count, to: stream)
    }

    /// Adds a copy of all that is queued, at most `sendBytesMax`.
    func add(_ queue: borrowing WriteQueue, to stream: ByteStream) {
        let count = queue.byteCount
        makeRoom(for: count)
        queue.copy(into: UnsafeMutableRawBufferPointer(rebasing: memory[usedBytes...]))
        add(byteCount: count, to: stream)
    }

    /// Adds bytes that were possibly added for other streams just before; they are copied once.
    func add(_ shared: SharedBytes, to stream: ByteStream) {
        let count = shared.bytes.count
        if latestShared === shared, streams.count < Self.sendsMax {
            add(place: usedBytes - count, byteCount: count, to: stream)
        } else {
            shared.bytes.withUnsafeBytes { add($0, to: stream) }
            latestShared = shared
        }
    }

    private func makeRoom(for byteCount: Int) {
        latestShared = nil
        if streams.count == Self.sendsMax || usedBytes + byteCount > memory.count { submit() }
    }

    private func add(byteCount: Int, to stream: ByteStream) {
        usedBytes += byteCount
        add(place: usedBytes - byteCount, byteCount: byteCount, to: stream)
    }

    private func add(place: Int, byteCount: Int, to stream: ByteStream) {
        if streams.isEmpty { loop.afterHooks(call: self) }
        var send = clinux_send()
        send.bytes = UnsafeRawPointer(memory.baseAddress.unsafelyUnwrapped + place)
        send.length = UInt32(byteCount)
        sends.initializeElement(at: streams.count, to: send)
        streams.append(stream)
        stream.batchedCount = UInt16(byteCount)
    }

    // MARK: Submitting

    /// Sends everything, and tells each stream how much its socket has taken.
    package func submit() {
        guard !streams.isEmpty else { return }
        // A stream that was closed meanwhile has no descriptor, and its number may be another's.
        for (index, stream) in streams.enumerated() {
            sends[index].descriptor = stream.descriptor?.number ?? -1
        }
        send(UnsafeMutableBufferPointer(rebasing: sends[..<streams.count]))
        for (index, stream) in streams.enumerated() {
            let send = sends[index]
            let bytes = UnsafeRawBufferPointer(start: send.bytes, count: Int(send.length))
            stream.batchWasSent(bytes, send.result)
        }
        streams.removeAll(keepingCapacity: true)
        usedBytes = 0
        latestShared = nil
    }

    private func send(_ sends: UnsafeMutableBufferPointer<clinux_send>) {
        var done = 0
        if case .open(let ring) = ring, sends.count >= Self.sendsMin {
            done = ring.send(sends)
            // The kernel is out of memory, or a filter was installed after the ring was opened.
            if done < sends.count { self.ring = .refused }
        }
        for index in done..<sends.count {
            let send = sends[index]
            let count = Glibc.send(
                send.descriptor,
                send.bytes,
                Int(send.length),
                Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
            )
            sends[index].result = count >= 0 ? Int32(count) : -errno
        }
    }
}

extension SendBatch: TurnEndHandler {
    /// Sends what the end-of-turn hooks have added.
    package func turnEnded() { submit() }
}

extension EventLoop {
    /// Whether many sends of a turn are handed to the kernel together by io_uring(7), if the system
    /// permits it. True unless changed, which is possible while no stream has sent anything.
    public var usesIOUring: Bool {
        get { SendBatch.of(self).usesRing }
        set { SendBatch.of(self).usesRing = newValue }
    }
}
