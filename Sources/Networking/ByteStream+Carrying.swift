// Events from the carrier that has the stream's socket.

import EventLoop

extension ByteStream {
    /// Bytes were received, at most one read.
    func carrierReceived(_ bytes: [UInt8]) {
        guard let carried else { return }
        if carried.hasUnread || !wantsToRead {
            carried.append(bytes)
        } else {
            handOver(copying: bytes)
        }
    }

    /// The carrier has paused reading until all received bytes are consumed.
    func carrierPaused() {
        guard let carried else { return }
        carried.isPaused = true
        deliver(carried)
    }

    /// The peer has closed its side.
    func carrierReceivedEnd() {
        guard let carried else { return }
        carried.hasEnded = true
        deliver(carried)
    }

    /// The carrier's queue was below the low mark when it sent this.
    func carrierDrained() {
        guard let carried, needsDrainedCall else { return }
        if queuedByteCount <= limits.writeLowMark {
            callDrainedIfBelowLowMark()
        } else {
            carried.requestDrainedCall()
        }
    }

    /// Delivers, at the end of the turn, what was received while reading was paused.
    func scheduleDelivery(_ carried: CarriedSocket) {
        guard carried.hasUndelivered, !carried.isDeliveryScheduled else { return }
        carried.isDeliveryScheduled = true
        loop.atEndOfTurn { [self] in
            carried.isDeliveryScheduled = false
            deliver(carried)
        }
    }

    private func deliver(_ carried: CarriedSocket) {
        // The handler may pause or close the stream between two pieces.
        while isOpen, wantsToRead, let bytes = carried.takeUnread() { handOver(copying: bytes) }
        guard isOpen, wantsToRead else { return }
        if carried.hasEnded {
            receivedEnd()
        } else {
            carried.resumeReading()
        }
    }

    /// Copies the bytes, since handlers may modify the buffer and `bytes` belong to the message.
    private func handOver(copying bytes: [UInt8]) {
        let buffer = loop.receiveBuffer
        bytes.withUnsafeBytes { buffer.copyMemory(from: $0) }
        handOver(UnsafeRawBufferPointer(rebasing: buffer[..<bytes.count]))
    }
}
