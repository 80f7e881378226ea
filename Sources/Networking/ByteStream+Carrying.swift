// A stream whose socket a carrier keeps: what the carrier tells of it.

import EventLoop

extension ByteStream {
    /// Bytes have come, no more than one read brings.
    func carrierReceived(_ bytes: [UInt8]) {
        guard let carried else { return }
        if carried.hasUnread || !wantsToRead {
            carried.keep(bytes)
        } else {
            handOver(copying: bytes)
        }
    }

    /// The carrier reads on when all is taken.
    func carrierPaused() {
        guard let carried else { return }
        carried.isPaused = true
        deliver(carried)
    }

    /// The peer will send no more.
    func carrierReceivedEnd() {
        guard let carried else { return }
        carried.hasEnded = true
        deliver(carried)
    }

    /// No more waited than the low mark, when that was told.
    func carrierDrained() {
        guard let carried, needsDrainedCall else { return }
        if queuedByteCount <= limits.writeLowMark {
            tellWhenDrained()
        } else {
            carried.requestDrainedCall()
        }
    }

    /// Hands over, at the turn's end, what came while nobody wanted it.
    func scheduleDelivery(_ carried: CarriedSocket) {
        guard carried.hasNews, !carried.isDeliveryScheduled else { return }
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

    /// Handlers may write to what they are lent, and `bytes` belong to the letter.
    private func handOver(copying bytes: [UInt8]) {
        let buffer = loop.receiveBuffer
        bytes.withUnsafeBytes { buffer.copyMemory(from: $0) }
        handOver(UnsafeRawBufferPointer(rebasing: buffer[..<bytes.count]))
    }
}
