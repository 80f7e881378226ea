// The reading side: one receive per turn into the loop's shared buffer, so that an idle connection
// needs no memory and a busy one cannot starve the others.

import EventLoop
import TLSEngine

extension ByteStream {
    /// Pauses delivery until `resumeReading()`. TCP flow control slows the peer down.
    public func pauseReading() {
        isReadingPaused = true
        updateInterest()
    }

    /// Resumes delivery.
    public func resumeReading() {
        isReadingPaused = false
        updateInterest()
        scheduleDelivery()
    }

    /// Whether to read: there is a handler for the bytes, a close_notify to wait for, or a
    /// handshake in progress.
    var wantsToRead: Bool {
        guard reading == .open else { return false }
        if isClosing || (handler != nil && !isReadingPaused) { return true }
        guard let encryption else { return false }
        return !encryption.engine.isHandshakeDone
    }

    /// Receives once; the rest is reported again in the next turn.
    /// - Parameter isAtEnd: whether the peer's end or an error is known to follow.
    func receive(isAtEnd: Bool) {
        guard let number = descriptor?.number else { return }
        let buffer = loop.receiveBuffer
        do {
            guard let count = try Socket.receive(number, into: buffer) else { return }
            group.figures?.traffic.byteCountReceived += count
            let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            switch (encryption, count) {
            case (nil, 0): receivedEnd()
            case (nil, _): handOverGathering(bytes)
            // An encrypted stream ends with close_notify, after which we would have stopped
            // reading.
            case (_?, 0): close(!isClosing ? .tls(.truncated) : nil)
            case (let encryption?, _): receive(ciphertext: bytes, encryption)
            }
            // A partial read was everything, and later bytes cause a new event.
            if count == buffer.count || isAtEnd { readOnNextTurn() }
        } catch {
            close(.stream(error))
        }
    }

    /// Delivers `bytes` to the handler, or discards them if the stream is only waiting for its end.
    func handOver(_ bytes: UnsafeRawBufferPointer) {
        guard isClosing else {
            handler?.stream(self, received: bytes)
            return
        }
        guard let deadline else { return }
        deadline.discardedByteCount += bytes.count
        if deadline.discardedByteCount > limits.closeByteLimit { close(nil) }
    }

    /// The peer has closed its side.
    func receivedEnd() {
        reading = .ended
        updateInterest()
        if isClosing {
            if queuedByteCount == 0 { close(nil) }
            return
        }
        handler?.streamReceivedEnd(self)
        closeIfBothEnded()
    }
}
