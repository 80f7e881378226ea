// The reading side: one receive a turn into the loop's shared buffer, so that an idle connection holds
// no memory and a busy one cannot starve the others.

import EventLoop
import TLSEngine

extension ByteStream {
    /// Stops handing over bytes until `resumeReading()`. The peer is slowed down by its full window.
    public func pauseReading() {
        isReadingPaused = true
        updateInterest()
    }

    /// Hands over bytes again.
    public func resumeReading() {
        isReadingPaused = false
        updateInterest()
        scheduleDelivery()
    }

    /// Whether bytes are welcome: there is somebody to hand them to, a farewell to wait for, or a
    /// handshake to go through.
    var wantsToRead: Bool {
        guard reading == .open else { return false }
        if let encryption, !encryption.engine.isHandshakeDone { return true }
        return isClosing || (handler != nil && !isReadingPaused)
    }

    /// Receives once; what is left is told again in the next turn.
    /// - Parameter isAtEnd: whether the peer's end, or an error, is known to follow.
    func receive(isAtEnd: Bool) {
        guard let number = descriptor?.number else { return }
        let buffer = loop.receiveBuffer
        do {
            guard let count = try Socket.receive(number, into: buffer) else { return }
            figures?.traffic.byteCountReceived += count
            let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
            switch (encryption, count) {
            case (nil, 0): receivedEnd()
            case (nil, _): handOverGathering(bytes)
            // Encrypted bytes end with a farewell inside; we would have stopped reading there.
            case (_?, 0): close(!isClosing ? .tls(.truncated) : nil)
            case (let encryption?, _): receive(ciphertext: bytes, encryption)
            }
            // Less than was asked for is all that there was, and what comes later is told by itself.
            if count == buffer.count || isAtEnd { readOnNextTurn() }
        } catch {
            close(.stream(error))
        }
    }

    /// Gives `bytes` to the handler, or to nobody where the stream is only waiting for its end.
    func handOver(_ bytes: UnsafeRawBufferPointer) {
        guard isClosing else {
            handler?.stream(self, received: bytes)
            return
        }
        discardedByteCount += bytes.count
        if discardedByteCount > limits.closeByteLimit { close(nil) }
    }

    /// The peer will send no more.
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
