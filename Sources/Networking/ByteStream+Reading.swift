// The reading side: one receive a turn into the loop's shared buffer, so that an idle connection holds
// no memory and a busy one cannot starve the others.

import EventLoop

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
    }

    /// Whether bytes are welcome: there is somebody to hand them to, or a farewell to wait for.
    var wantsToRead: Bool {
        guard reading == .open else { return false }
        return closeTimer != nil || (handler != nil && !isReadingPaused)
    }

    /// Receives once; what is left is told again in the next turn.
    func receive() {
        guard let number = descriptor?.number else { return }
        let buffer = loop.receiveBuffer
        do {
            guard let count = try Socket.receive(number, into: buffer) else { return }
            if count == 0 {
                receivedEnd()
            } else if closeTimer == nil {
                handler?.stream(self, received: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            }
        } catch {
            close(.stream(error))
        }
    }

    /// The peer will send no more.
    private func receivedEnd() {
        reading = .ended
        updateInterest()
        if closeTimer != nil {
            if queue.isEmpty { close(nil) }
            return
        }
        handler?.streamReceivedEnd(self)
        closeIfBothEnded()
    }
}
