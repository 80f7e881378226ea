// What a handler answers while it is handed bytes: gathered in a buffer of the loop, and sent when the
// handler returns. The stream is in the cache then, and an answer that the socket takes costs neither an
// allocation nor a place in a queue.

import EventLoop

extension ByteStream {
    /// Hands `bytes` over, and sends what the handler copies into the stream meanwhile.
    func handOverGathering(_ bytes: UnsafeRawBufferPointer) {
        isGathering =
            queue.isEmpty && !waitsForRoom && writing == .open
            && limits.writeHighMark >= EventLoop.gatherBufferBytes
        handOver(bytes)
        guard isGathering else { return }
        if gatheredCount > 0 { sendGathered() }
        isGathering = false
    }

    /// Gathers copies of `head` and `body`, where there is room for them.
    ///
    /// Many short messages come this way: it looks at nothing but numbers of the stream's own, for which no
    /// exclusive access has to be proved while the program runs.
    /// - Returns: whether there was.
    func gather(_ head: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer) -> Bool {
        let end = gatheredCount + head.count + body.count
        guard isGathering, end <= EventLoop.gatherBufferBytes else { return false }
        let place = loop.gatherBuffer.baseAddress.unsafelyUnwrapped + gatheredCount
        UnsafeMutableRawBufferPointer(start: place, count: head.count).copyMemory(from: head)
        UnsafeMutableRawBufferPointer(start: place + head.count, count: body.count)
            .copyMemory(from: body)
        gatheredCount = end
        return true
    }

    /// Moves what was gathered into the queue, for something is to follow it there.
    func queueGathered() {
        guard isGathering else { return }
        isGathering = false
        guard gatheredCount > 0 else { return }
        queue.append(copying: takeGathered())
        scheduleFlush()
    }

    /// Forgets what was gathered, for the stream is closed.
    func dropGathered() {
        isGathering = false
        gatheredCount = 0
    }

    /// Sends what was gathered, then `head` and `body`, in one system call; what the socket does not take
    /// is queued.
    func sendGathered(
        _ head: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0),
        _ body: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
    ) {
        guard let number = descriptor?.number else { return }
        let gathered = takeGathered()
        do {
            let count = try Socket.send(number, gathered, head, body) ?? 0
            figures?.traffic.byteCountSent += count
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
        let count = gatheredCount
        gatheredCount = 0
        return UnsafeRawBufferPointer(rebasing: loop.gatherBuffer[..<count])
    }
}
