// The socket of a stream whose loop does not have it.

/// A stream's end of its socket on a carrier.
final class CarriedSocket {
    let isEncrypted: Bool
    /// Whether the carrier reads no more until all is taken.
    var isPaused = false
    /// Whether nothing comes after what is unread.
    var hasEnded = false
    var isDeliveryScheduled = false
    private let carrier: StreamCarrier
    private let stream: Int
    private let tally: StreamTally
    private var writtenByteCount = 0
    /// What has come while nobody wanted it. The carrier bounds how much.
    private var unread: [[UInt8]] = []

    init(_ carrier: StreamCarrier, _ stream: Int, _ tally: StreamTally, isEncrypted: Bool) {
        self.carrier = carrier
        self.stream = stream
        self.tally = tally
        self.isEncrypted = isEncrypted
    }

    // MARK: Writing

    /// What was written and has not left the carrier's queue, on its way there included.
    var queuedByteCount: Int { max(0, writtenByteCount - tally.goneByteCount) }

    func write(_ bytes: [UInt8]) {
        writtenByteCount += bytes.count
        carrier.write(bytes, to: stream)
    }

    /// Has the carrier tell when no more waits than the low mark.
    func requestDrainedCall() { carrier.order(.requestDrainedCall(stream)) }

    /// Ends the writing side, or the stream, once all is sent; the carrier tells when it is closed.
    func endWriting(isClosing: Bool, awaitingPeer: Bool) {
        carrier.order(
            isClosing
                ? .closeAfterFlush(stream, awaitingPeer: awaitingPeer) : .finishWriting(stream)
        )
    }

    func close() { carrier.close(stream) }

    // MARK: Reading

    /// Whether something is there that nobody has been told of.
    var hasNews: Bool { !unread.isEmpty || hasEnded || isPaused }

    var hasUnread: Bool { !unread.isEmpty }

    func keep(_ bytes: [UInt8]) { unread.append(bytes) }

    func takeUnread() -> [UInt8]? { unread.isEmpty ? nil : unread.removeFirst() }

    /// Everything was taken.
    func resumeReading() {
        guard isPaused else { return }
        isPaused = false
        carrier.order(.resumeReading(stream))
    }
}
