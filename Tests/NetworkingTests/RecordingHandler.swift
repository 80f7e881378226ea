// A handler that records events and lets a test wait for them.

import EventLoop
import Networking

/// Records a stream's events.
final class RecordingHandler: StreamHandler {
    private(set) var received: [UInt8] = []
    private(set) var hasEnded = false
    private(set) var drainedCount = 0
    private(set) var closedCount = 0
    private(set) var error: NetworkError?
    /// Called after each event.
    var changed: () -> Void = {}
    /// What to do with received bytes besides recording them.
    var onReceive: (ByteStream, UnsafeRawBufferPointer) -> Void = { _, _ in }

    var text: String { String(decoding: received, as: UTF8.self) }

    /// Forgets the received bytes.
    func forget() { received = [] }

    /// Waits until `condition` holds, checked after each event.
    func wait(_ loop: EventLoop, until condition: @escaping (RecordingHandler) -> Bool) async {
        guard !condition(self) else { return }
        let promise = LoopPromise<Void, Never>(loop)
        changed = { [self] in
            if condition(self) { promise.succeed(()) }
        }
        await promise.value { promise.succeed(()) }
        changed = {}
    }

    func stream(_ stream: ByteStream, received bytes: UnsafeRawBufferPointer) {
        received.append(contentsOf: bytes)
        onReceive(stream, bytes)
        changed()
    }

    func streamReceivedEnd(_ stream: ByteStream) {
        hasEnded = true
        changed()
    }

    func streamDrained(_ stream: ByteStream) {
        drainedCount += 1
        changed()
    }

    func streamClosed(_ stream: ByteStream, _ error: NetworkError?) {
        closedCount += 1
        self.error = error
        changed()
    }
}

/// Echoes bytes, pauses while too much is queued, and ends when the peer does.
final class EchoHandler: StreamHandler {
    func stream(_ stream: ByteStream, received bytes: UnsafeRawBufferPointer) {
        stream.write(Array(bytes))
        if stream.isAboveHighMark { stream.pauseReading() }
    }

    func streamReceivedEnd(_ stream: ByteStream) { stream.finishWriting() }

    func streamDrained(_ stream: ByteStream) { stream.resumeReading() }

    func streamClosed(_ stream: ByteStream, _ error: NetworkError?) {}
}

/// `count` bytes with a long period, so that a lost or repeated piece is detected.
func pattern(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
}

/// 127.0.0.1 with any port.
let anyPort = SocketAddress.ipv4(0x7f00_0001, port: 0)
