// The writing side: a queue of shared arrays, flushed once at the end of a turn.

import EventLoop
import Glibc

extension ByteStream {
    /// Queues `bytes`, to be sent at the end of this turn.
    ///
    /// After `finishWriting`, `closeAfterFlush` or `close` they are dropped. Where more than the
    /// limit would wait, the stream is closed with `writeQueueFull`.
    public func write(_ bytes: [UInt8]) {
        guard takes(bytes.count) else { return }
        if let carried {
            carried.write(bytes)
        } else {
            queueGathered()
            queue.append(bytes)
            scheduleFlush()
        }
        noteHighMark()
    }

    /// Queues bytes that other streams may have queued, too; nothing is copied.
    public func write(_ shared: SharedBytes) { write(shared.bytes) }

    /// Sends bytes at once where nothing waits before them, and queues what the socket does not take: for
    /// the end of a turn, when nothing follows that could leave together with them.
    public func writeNow(_ shared: SharedBytes) {
        guard let number = descriptor?.number, encryption == nil, queue.isEmpty, !waitsForRoom,
            !isGathering
        else { return write(shared) }
        guard takes(shared.bytes.count) else { return }
        do {
            let count = try Socket.send(number, shared.bytes) ?? 0
            figures?.traffic.byteCountSent += count
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

    /// Queues copies of `head` and `body`, one after the other: for bytes that are only lent. Many short
    /// ones of one turn are gathered.
    public func write(copying head: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer) {
        if gather(head, body) { return }
        guard carried == nil else { return write(Array(head) + Array(body)) }
        guard takes(head.count + body.count) else { return }
        if isGathering {
            sendGathered(head, body)
            noteHighMark()
            return
        }
        queue.append(copying: head, body)
        scheduleFlush()
        // What fills a call goes at once: the next message finds the same memory, still in the cache.
        if queue.byteCount >= WriteQueue.ownBytesMax, encryption == nil, !waitsForRoom {
            do {
                waitsForRoom = try !send(&queue)
            } catch {
                close(error)
            }
        }
        noteHighMark()
    }

    /// Whether `byteCount` more bytes may wait. Closes the stream where they would be too many.
    private func takes(_ byteCount: Int) -> Bool {
        guard isOpen, writing == .open else { return false }
        guard queuedByteCount + byteCount <= limits.writeByteLimit else {
            close(.writeQueueFull(byteLimit: limits.writeByteLimit))
            return false
        }
        return true
    }

    private func noteHighMark() {
        guard !needsDrainedCall, queuedByteCount > limits.writeHighMark else { return }
        needsDrainedCall = true
        carried?.requestDrainedCall()
    }

    /// How many bytes wait to be sent.
    public var queuedByteCount: Int {
        if let carried { return carried.queuedByteCount }
        return queue.byteCount + gatheredCount
            + (encryption?.ciphertext.byteCount ?? 0)
    }

    /// How many bytes the peer has not taken: those that wait here and those that wait in the system,
    /// which asks for more only when a third of its room is free. The latter are not known of a
    /// stream whose socket another loop has.
    public var untakenByteCount: Int {
        guard let number = descriptor?.number else { return queuedByteCount }
        return queuedByteCount + Socket.unacknowledgedByteCount(number)
    }

    /// Whether a writer should wait for `streamDrained`: from the high mark until the low one.
    public var isAboveHighMark: Bool { needsDrainedCall }

    /// Ends the writing side when all that was queued is sent; reading goes on.
    public func finishWriting() {
        guard isOpen, writing == .open else { return }
        queueGathered()
        writing = .ending
        scheduleFlush()
    }

    /// Closes when all that was queued is sent and the peer had a chance to read it.
    ///
    /// The peer's further bytes are thrown away until its own end, for closing with unread bytes
    /// would reset the connection and could cost the peer our last words. All that takes no longer
    /// than `StreamLimits.closeLimit`, nor more bytes than `closeByteLimit`.
    /// - Parameter awaitingPeer: false where the peer has said that it sends nothing more. The stream
    ///   is closed then as soon as all is sent, which spares a wake-up, unless bytes lie there unread.
    public func closeAfterFlush(awaitingPeer: Bool = true) {
        guard isOpen, !isClosing else { return }
        queueGathered()
        awaitsPeer = awaitingPeer
        closeTimer = loop.schedule(after: limits.closeLimit) { [weak self] in self?.close(nil) }
        if writing == .open { writing = .ending }
        updateInterest()
        scheduleFlush()
    }

    /// Has the queue flushed at the end of this turn.
    func scheduleFlush() {
        guard !isFlushScheduled, !waitsForRoom else { return }
        isFlushScheduled = true
        loop.atEndOfTurn(tell: self)
    }

    /// Sends until the queue is empty or the socket is full.
    func flush() {
        guard isOpen else { return }
        let before = queuedByteCount
        do {
            if let encryption {
                waitsForRoom = try flush(encryption)
            } else {
                waitsForRoom = try !send(&queue)
            }
            tally?.add(before - queuedByteCount)
            if queue.isEmpty, !waitsForRoom, writing == .ending { try endWriting() }
        } catch {
            close(error)
            return
        }
        updateInterest()
        tellWhenDrained()
    }

    /// Sends what the socket takes.
    /// - Returns: whether all has gone; otherwise the socket is full.
    func send(_ queue: inout WriteQueue) throws(NetworkError) -> Bool {
        guard let number = descriptor?.number else { return true }
        do {
            while !queue.isEmpty {
                guard let count = try Socket.send(number, queue) else { return false }
                queue.consume(count)
                figures?.traffic.byteCountSent += count
            }
        } catch {
            throw .stream(error)
        }
        return true
    }

    /// Calls the handler's `streamDrained` once more, at the end of this turn or whenever no more waits
    /// than the low mark.
    func requestDrainedCall() {
        needsDrainedCall = true
        scheduleFlush()
    }

    /// Tells the handler that it may write again, where it was to wait and need not any more.
    func tellWhenDrained() {
        guard isOpen, needsDrainedCall, queuedByteCount <= limits.writeLowMark else { return }
        needsDrainedCall = false
        if writing == .open { handler?.streamDrained(self) }
    }

    /// Says goodbye; the peer reads an end.
    private func endWriting() throws(NetworkError) {
        if let carried {
            return carried.endWriting(isClosing: isClosing, awaitingPeer: awaitsPeer)
        }
        if let encryption, try !sendFarewell(encryption) {
            waitsForRoom = true
            return
        }
        guard let number = descriptor?.number else { return }
        guard awaitsPeer || Socket.hasUnreadBytes(number) else { return close(nil) }
        writing = .ended
        // Fails only where the peer is gone already, which reading will tell.
        _ = shutdown(number, Int32(SHUT_WR))
        closeIfBothEnded()
    }
}
