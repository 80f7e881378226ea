// Gathers what a handler writes during its call in a buffer of the loop, and sends it when the
// handler returns. The stream is then still in the cache, and a reply that the socket accepts costs
// neither an allocation nor a queue entry.

import EventLoop

extension ByteStream {
    /// Delivers `bytes`, and sends what the handler copies into the stream meanwhile.
    func handOverGathering(_ bytes: UnsafeRawBufferPointer) {
        isGathering =
            queue.isEmpty && !waitsForRoom && writing == .open && batchedCount == 0
            && encryption?.ciphertext.isEmpty != false
            && limits.writeHighMark >= EventLoop.gatherBufferBytes
        handOver(bytes)
        guard isGathering else { return }
        if gatheredCount > 0 { sendGathered() }
        isGathering = false
    }

    /// Gathers copies of `head` and `body` if there is enough space.
    ///
    /// A hot path for short messages: it only accesses integers of the stream, which need no
    /// dynamic exclusivity check.
    /// - Returns: whether there was enough space.
    func gather(_ head: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer) -> Bool {
        let start = Int(gatheredCount)
        let end = start + head.count + body.count
        guard isGathering, end <= EventLoop.gatherBufferBytes else { return false }
        let place = loop.gatherBuffer.baseAddress.unsafelyUnwrapped + start
        UnsafeMutableRawBufferPointer(start: place, count: head.count).copyMemory(from: head)
        UnsafeMutableRawBufferPointer(start: place + head.count, count: body.count)
            .copyMemory(from: body)
        gatheredCount = UInt16(truncatingIfNeeded: end)
        return true
    }

    /// Moves gathered bytes to the queue, because other bytes are going to follow them there.
    func queueGathered() {
        guard isGathering else { return }
        isGathering = false
        guard gatheredCount > 0 else { return }
        queue.append(copying: takeGathered())
        scheduleFlush()
    }

    /// Discards gathered bytes, because the stream is closed.
    func dropGathered() {
        isGathering = false
        gatheredCount = 0
    }

    /// Sends gathered bytes, `head` and `body` with one system call; what the socket does not
    /// accept is queued.
    func sendGathered(
        _ head: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0),
        _ body: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
    ) {
        guard let number = descriptor?.number else { return }
        let gathered = takeGathered()
        if head.isEmpty, body.isEmpty, batch(gathered, sendCount: loop.handlerCount) { return }
        if let encryption { return encryptNow(gathered, head, body, encryption) }
        do {
            let count = try Socket.send(number, gathered, head, body) ?? 0
            group.figures?.traffic.byteCountSent += count
            guard count < gathered.count + head.count + body.count else { return }
            isGathering = false
            waitsForRoom = true
            var gone = count
            for part in [gathered, head, body] {
                let skipped = min(gone, part.count)
                gone -= skipped
                queue.append(copying: UnsafeRawBufferPointer(rebasing: part[skipped...]))
            }
            updateInterest()
        } catch {
            close(.stream(error))
        }
    }

    private func takeGathered() -> UnsafeRawBufferPointer {
        let count = Int(gatheredCount)
        gatheredCount = 0
        return UnsafeRawBufferPointer(rebasing: loop.gatherBuffer[..<count])
    }
}
