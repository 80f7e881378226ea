// The writing side: a queue of shared arrays, flushed once at the end of a turn.

import EventLoop
import Glibc

extension ByteStream {
    /// Queues `bytes`, to be sent at the end of this turn.
    ///
    /// After `finishWriting`, `closeAfterFlush` or `close` they are dropped. If the queue would
    /// exceed its limit, the stream is closed with `writeQueueFull`.
    public func write(_ bytes: [UInt8]) {
        guard accepts(bytes.count) else { return }
        if let carried {
            carried.write(bytes)
        } else {
            queueGathered()
            queue.append(bytes)
            scheduleFlush()
        }
        noteHighMark()
    }

    /// Queues bytes that other streams may also have queued, without a copy.
    public func write(_ shared: SharedBytes) { write(shared.bytes) }

    /// Sends bytes at once if the queue is empty, and queues what the socket does not accept. For
    /// the end of a turn, when no other bytes follow that could be sent with the same system call.
    /// - Parameters:
    ///   - shared: the bytes.
    ///   - streamCount: how many streams get them. Those of many are sent together, before the loop
    ///     waits.
    public func writeNow(_ shared: SharedBytes, amongStreams streamCount: Int = 1) {
        settleBatch()
        guard let number = descriptor?.number, queue.isEmpty, !waitsForRoom, !isGathering else {
            return write(shared)
        }
        guard accepts(shared.bytes.count) else { return }
        if batch(shared, sendCount: streamCount) { return }
        if encryption != nil {
            queue.append(shared.bytes)
            flush(sendCount: streamCount)
            return noteHighMark()
        }
        do {
            let count = try Socket.send(number, shared.bytes) ?? 0
            group.figures?.traffic.byteCountSent += count
            guard count < shared.bytes.count else { return }
            queue.append(shared.bytes)
            queue.consume(count)
            waitsForRoom = true
            updateInterest()
            noteHighMark()
        } catch {
            close(.stream(error))
        }
    }

    /// Queues copies of `head` and `body`, for borrowed bytes. Short ones of one turn are gathered.
    public func write(copying head: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer) {
        if gather(head, body) { return }
        guard carried == nil else { return write(Array(head) + Array(body)) }
        guard accepts(head.count + body.count) else { return }
        if isGathering {
            sendGathered(head, body)
            noteHighMark()
            return
        }
        queue.append(copying: head, body)
        scheduleFlush()
        // A full buffer is sent at once: the next message reuses the same memory, still in the
        // cache.
        if queue.byteCount >= WriteQueue.ownBytesMax, encryption == nil, !waitsForRoom {
            do {
                waitsForRoom = try !send(&queue)
            } catch {
                close(error)
            }
        }
        noteHighMark()
    }

    /// Whether `byteCount` more bytes may be queued. Closes the stream if they exceed the limit.
    private func accepts(_ byteCount: Int) -> Bool {
        settleBatch()
        guard isOpen, writing == .open else { return false }
        guard queuedByteCount + byteCount <= limits.writeByteLimit else {
            close(.writeQueueFull(byteLimit: limits.writeByteLimit))
            return false
        }
        return true
    }

    func noteHighMark() {
        guard !needsDrainedCall, queuedByteCount > limits.writeHighMark else { return }
        needsDrainedCall = true
        carried?.requestDrainedCall()
    }

    /// The number of queued bytes.
    public var queuedByteCount: Int {
        if let carried { return carried.queuedByteCount }
        return queue.byteCount + Int(gatheredCount) + Int(batchedCount)
            + (encryption?.ciphertext.byteCount ?? 0)
    }

    /// The number of bytes that the peer has not received: those in this queue and in the kernel's
    /// send buffer, which reports itself writable only when a third of it is free. The latter are
    /// unknown if another loop has the socket.
    public var untakenByteCount: Int {
        guard let number = descriptor?.number else { return queuedByteCount }
        return queuedByteCount + Socket.unacknowledgedByteCount(number)
    }

    /// Whether a writer should wait for `streamDrained`: true from the high mark down to the low
    /// one.
    public var isAboveHighMark: Bool { needsDrainedCall }

    /// Closes the writing side after all queued bytes are sent; reading continues.
    public func finishWriting() {
        guard isOpen, writing == .open else { return }
        queueGathered()
        writing = .ending
        scheduleFlush()
    }

    /// Closes after all queued bytes are sent and the peer could read them.
    ///
    /// Further bytes of the peer are discarded until its end, since closing with unread bytes would
    /// reset the connection and the peer could lose our last bytes. This takes at most
    /// `StreamLimits.closeLimit` and `closeByteLimit` bytes.
    /// - Parameter awaitingPeer: false if the peer has announced that it sends nothing more. The
    ///   stream is then closed as soon as all is sent, without another wake-up, unless there are
    ///   unread bytes.
    public func closeAfterFlush(awaitingPeer: Bool = true) {
        guard isOpen, !isClosing else { return }
        queueGathered()
        phase = awaitingPeer ? .closingAfterPeer : .closingAfterFlush
        deadline?.timer.cancel()
        deadline = nil
        // Otherwise nearly all streams are closed when this turn ends.
        if awaitingPeer || waitsForRoom || carried != nil { close(after: limits.closeLimit) }
        if writing == .open { writing = .ending }
        updateInterest()
        scheduleFlush()
    }

    /// Schedules a flush at the end of this turn.
    func scheduleFlush() {
        guard !isFlushScheduled, !waitsForRoom else { return }
        isFlushScheduled = true
        loop.atEndOfTurn(call: self)
    }

    /// Sends until the queue is empty or the socket is full.
    /// - Parameter sendCount: how many sends there are in this turn. An encrypted stream adds its
    ///   ciphertext to the batch if there are many.
    func flush(sendCount: Int = 1) {
        settleBatch()
        guard isOpen else { return }
        let before = queuedByteCount
        do {
            if let encryption {
                waitsForRoom = try flush(encryption, sendCount: sendCount)
            } else {
                waitsForRoom = try !send(&queue)
            }
            tally?.add(before - queuedByteCount)
            if queue.isEmpty, !waitsForRoom, writing == .ending { try endWriting() }
        } catch {
            close(error)
            return
        }
        if isClosing, deadline == nil { close(after: limits.closeLimit) }
        updateInterest()
        callDrainedIfBelowLowMark()
    }

    /// Sends what the socket accepts.
    /// - Returns: whether all was sent; otherwise the socket is full.
    func send(_ queue: inout WriteQueue) throws(NetworkError) -> Bool {
        guard let number = descriptor?.number else { return true }
        do {
            while !queue.isEmpty {
                guard let count = try Socket.send(number, queue) else { return false }
                queue.consume(count)
                group.figures?.traffic.byteCountSent += count
            }
        } catch {
            throw .stream(error)
        }
        return true
    }

    /// Requests one call of `streamDrained`, at the end of this turn or when the queue is below the
    /// low mark.
    func requestDrainedCall() {
        needsDrainedCall = true
        scheduleFlush()
    }

    /// Calls `streamDrained` if the handler was waiting for it and the queue is below the low mark.
    func callDrainedIfBelowLowMark() {
        guard isOpen, needsDrainedCall, queuedByteCount <= limits.writeLowMark else { return }
        needsDrainedCall = false
        if writing == .open { handler?.streamDrained(self) }
    }

    /// Closes the writing side; the peer reads an end.
    private func endWriting() throws(NetworkError) {
        if let carried {
            let awaitsPeer = phase == .closingAfterPeer
            return carried.endWriting(isClosing: isClosing, awaitingPeer: awaitsPeer)
        }
        if let encryption, try !sendCloseNotify(encryption) {
            waitsForRoom = true
            return
        }
        guard let number = descriptor?.number else { return }
        let awaitsPeer = phase != .closingAfterFlush
        guard awaitsPeer || Socket.hasUnreadBytes(number) else { return close(nil) }
        writing = .ended
        // Fails only if the peer has already closed, which reading will report.
        _ = shutdown(number, Int32(SHUT_WR))
        closeIfBothEnded()
    }
}
