// Forwards broadcasts of one loop to the other loops.

import EventLoop
import Networking

/// Forwards broadcasts of its loop to the others, and pauses publishers that are faster than the
/// other loops: nothing is lost, and at most the limit plus two reads of each publisher is queued.
final class BroadcastRelay {
    private let byteCountMax: Int
    /// The mailbox for acknowledgements of the others.
    private var own: Mailbox<EchoMessage>?
    private var others: [Mailbox<EchoMessage>] = []
    /// Bytes that the others have not acknowledged, counted once for each of them.
    private var byteCount = 0
    /// Publishers whose reading is paused.
    private var paused: [ObjectIdentifier: ByteStream] = [:]

    /// Creates a relay that queues at most about `byteCountMax` bytes.
    init(byteCountMax: Int) { self.byteCountMax = byteCountMax }

    /// Starts forwarding to `others`, which acknowledge to `own`.
    func begin(own: Mailbox<EchoMessage>, others: [Mailbox<EchoMessage>]) {
        self.own = own
        self.others = others
    }

    /// Sends `frames` to every other loop.
    func send(_ frames: SharedBytes) {
        guard let own else { return }
        // A loop that has ended would never acknowledge.
        for other in others where other.post(.frames(frames, answerTo: own)) {
            byteCount += frames.bytes.count
        }
    }

    /// Pauses reading from a publisher until the queue is shorter.
    func pause(_ publisher: ByteStream) {
        guard byteCount >= byteCountMax else { return }
        paused[ObjectIdentifier(publisher)] = publisher
        publisher.pauseReading()
    }

    /// Removes a closed publisher.
    func remove(_ publisher: ByteStream) { paused[ObjectIdentifier(publisher)] = nil }

    /// Another loop has sent this many bytes to its clients.
    func acknowledged(byteCount taken: Int) {
        byteCount -= taken
        guard byteCount <= byteCountMax / 2, !paused.isEmpty else { return }
        let publishers = paused.values
        paused = [:]
        for publisher in publishers { publisher.resumeReading() }
    }
}
