// What is published on one loop, on its way to the others.

import EventLoop
import Networking

/// Hands what is published on its loop to the others, and lets nobody publish faster than they take it: nothing
/// is lost, and no more waits than is allowed and what two reads of each publisher bring.
final class BroadcastRelay {
    private let byteCountMax: Int
    /// Where the others say what they have taken.
    private var own: Mailbox<EchoLetter>?
    private var others: [Mailbox<EchoLetter>] = []
    /// What the others have not taken yet, once for each of them.
    private var byteCount = 0
    /// Publishers that are not read from meanwhile.
    private var heldBack: [ObjectIdentifier: ByteStream] = [:]

    /// A relay between whose ends `byteCountMax` bytes may wait.
    init(byteCountMax: Int) { self.byteCountMax = byteCountMax }

    /// Begins to hand on to `others`, which answer to `own`.
    func begin(own: Mailbox<EchoLetter>, others: [Mailbox<EchoLetter>]) {
        self.own = own
        self.others = others
    }

    /// Hands `frames` to every other loop.
    func send(_ frames: SharedBytes) {
        guard let own else { return }
        // A loop that has ended takes nothing, and would never say so.
        for other in others where other.post(.frames(frames, answerTo: own)) {
            byteCount += frames.bytes.count
        }
    }

    /// Reads no more from a publisher until there is room.
    func holdBack(_ publisher: ByteStream) {
        guard byteCount >= byteCountMax else { return }
        heldBack[ObjectIdentifier(publisher)] = publisher
        publisher.pauseReading()
    }

    /// Lets go of a publisher that is closed.
    func forget(_ publisher: ByteStream) { heldBack[ObjectIdentifier(publisher)] = nil }

    /// One of the others has sent so many bytes on.
    func taken(byteCount taken: Int) {
        byteCount -= taken
        guard byteCount <= byteCountMax / 2, !heldBack.isEmpty else { return }
        let publishers = heldBack.values
        heldBack = [:]
        for publisher in publishers { publisher.resumeReading() }
    }
}
