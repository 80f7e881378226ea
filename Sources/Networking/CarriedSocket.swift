// The socket of a stream on another loop.

/// The interface of a stream to its socket on a carrier.
final class CarriedSocket {
    let isEncrypted: Bool
    /// Whether the carrier has paused reading until all bytes are consumed.
    var isPaused = false
    /// Whether the peer has closed its side after the unread bytes.
    var hasEnded = false
    var isDeliveryScheduled = false
    private let carrier: StreamCarrier
    private let stream: Int
    private let tally: StreamTally
    private var writtenByteCount = 0
    /// Bytes received while reading was paused. The carrier limits their number.
    private var unread: [[UInt8]] = []

    init(_ carrier: StreamCarrier, _ stream: Int, _ tally: StreamTally, isEncrypted: Bool) {
        self.carrier = carrier
        self.stream = stream
        self.tally = tally
        self.isEncrypted = isEncrypted
    }

    // MARK: Writing

    /// The written bytes that have not left the carrier's queue, including those on the way to it.
    var queuedByteCount: Int { max(0, writtenByteCount - tally.sentByteCount) }

    func write(_ bytes: [UInt8]) {
        writtenByteCount += bytes.count
        carrier.write(bytes, to: stream)
    }

    /// Requests an event when the carrier's queue is below the low mark.
    func requestDrainedCall() { carrier.send(.requestDrainedCall(stream)) }

    /// Closes the writing side, or the stream, after all is sent; the carrier reports when it is
    /// closed.
    func endWriting(isClosing: Bool, awaitingPeer: Bool) {
        carrier.send(
            isClosing
                ? .closeAfterFlush(stream, awaitingPeer: awaitingPeer) : .finishWriting(stream)
        )
    }

    func close() { carrier.close(stream) }

    // MARK: Reading

    /// Whether there are events to deliver.
    var hasUndelivered: Bool { !unread.isEmpty || hasEnded || isPaused }

    var hasUnread: Bool { !unread.isEmpty }

    func append(_ bytes: [UInt8]) { unread.append(bytes) }

    func takeUnread() -> [UInt8]? { unread.isEmpty ? nil : unread.removeFirst() }

    /// All bytes were consumed.
    func resumeReading() {
        guard isPaused else { return }
        isPaused = false
        carrier.send(.resumeReading(stream))
    }
}
