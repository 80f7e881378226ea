// What a handler answers while it is handed bytes: gathered in a buffer of the loop, and sent when the
// handler returns. The stream is in the cache then, and an answer that the socket takes costs neither an
// allocation nor a place in a queue.

import EventLoop

extension ByteStream {
    /// Hands `bytes` over, and sends what the handler copies into the stream meanwhile.
    func handOverGathering(_ bytes: UnsafeRawBufferPointer) {
        isGathering = queue.isEmpty && !waitsForRoom && writing == .open
        handOver(bytes)
        guard isGathering else { return }
        if loop.gatheredCount > 0 { sendGathered() }
        isGathering = false
        // What was gathered may have been above the high mark.
        tellWhenDrained()
    }

    /// Gathers copies of `head` and `body`; where they do not fit, all goes at once.
    func gather(_ head: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer) {
        let buffer = loop.gatherBuffer
        let count = loop.gatheredCount
        guard head.count + body.count <= buffer.count - count else {
            sendGathered(head, body)
            return
        }
        UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).copyMemory(from: head)
        UnsafeMutableRawBufferPointer(rebasing: buffer[(count + head.count)...])
            .copyMemory(from: body)
        loop.gatheredCount = count + head.count + body.count
    }

    /// Moves what was gathered into the queue, for something is to follow it there.
    func queueGathered() {
        guard isGathering else { return }
        isGathering = false
        guard loop.gatheredCount > 0 else { return }
        queue.append(copying: takeGathered())
        scheduleFlush()
    }

    /// Forgets what was gathered, for the stream is closed.
    func dropGathered() {
        guard isGathering else { return }
        isGathering = false
        loop.gatheredCount = 0
    }

    /// Sends what was gathered, then `head` and `body`, in one system call; what the socket does not take
    /// is queued.
    private func sendGathered(
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
        let count = loop.gatheredCount
        loop.gatheredCount = 0
        return UnsafeRawBufferPointer(rebasing: loop.gatherBuffer[..<count])
    }
}
