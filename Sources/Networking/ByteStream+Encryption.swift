// TLS on a stream: the same queues and handlers, with an engine between them and the socket.

import EventLoop
import Instruments
import TLSEngine

extension ByteStream {
    /// Whether the stream is encrypted.
    public var isEncrypted: Bool { encryption != nil || carried?.isEncrypted == true }

    /// Starts the handshake: the client sends first.
    func beginHandshake(_ encryption: StreamEncryption) {
        // Closing cancels it, so it may retain the stream.
        encryption.handshakeTimer = loop.schedule(after: limits.handshakeLimit) { [self] in
            close(.timedOut)
        }
        updateInterest()
        scheduleFlush()
    }

    /// Waits for the end of the handshake, for connecting clients.
    func awaitHandshake(within duration: Duration) async throws(NetworkError) {
        guard let encryption, !encryption.engine.isHandshakeDone else { return }
        let handshakeResult = LoopPromise<Void, NetworkError>(loop)
        encryption.handshakeResult = handshakeResult
        let timer = loop.schedule(after: duration) { [self] in close(.timedOut) }
        defer { timer.cancel() }
        try await handshakeResult.value { [self] in close(.cancelled) }
    }

    // MARK: Reading

    /// Decrypts ciphertext from the socket and delivers the plaintext.
    func receive(ciphertext: UnsafeRawBufferPointer, _ encryption: StreamEncryption) {
        do {
            try encryption.engine.receive(ciphertext) {
                noteHandshake(encryption)
                deliver(encryption)
            }
        } catch {
            fail(error, encryption)
            return
        }
        // Each renegotiation or key update causes a reply: a peer that does not read must not make
        // them accumulate.
        guard queuedByteCount + encryption.engine.outputByteCount <= limits.writeByteLimit else {
            close(.writeQueueFull(byteLimit: limits.writeByteLimit))
            return
        }
        // The engine may have output, or queued bytes were waiting for the end of the handshake.
        if encryption.engine.hasOutput || !queue.isEmpty { scheduleFlush() }
    }

    /// Ends the time limit of the handshake when it is complete.
    private func noteHandshake(_ encryption: StreamEncryption) {
        guard encryption.isHandshaking, encryption.engine.isHandshakeDone else { return }
        group.figures?.traffic.handshakeTimes.record(loop.now - encryption.beganAt)
        if encryption.engine.isResumed { group.figures?.traffic.resumedCount += 1 }
        encryption.finishHandshake(.success(()))
    }

    /// Delivers, at the end of the turn, what was received or decrypted while reading was paused.
    func scheduleDelivery() {
        if let carried { return scheduleDelivery(carried) }
        guard let encryption, !encryption.isDeliveryScheduled else { return }
        encryption.isDeliveryScheduled = true
        loop.atEndOfTurn { [self] in
            encryption.isDeliveryScheduled = false
            deliver(encryption)
        }
    }

    private func deliver(_ encryption: StreamEncryption) {
        let buffer = encryption.plaintext.bytes
        // The handler may pause or close the stream between two pieces.
        while isOpen, encryption.engine.isHandshakeDone, wantsToRead,
            encryption.engine.mayHavePlaintext
        {
            do {
                switch try encryption.engine.read(into: buffer) {
                case .nothing: return
                case .end: receivedEnd()
                case .bytes(let count):
                    handOverGathering(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                }
            } catch {
                fail(error, encryption)
            }
        }
        updateInterest()
    }

    // MARK: Writing

    /// Encrypts and sends until the queue is empty or the socket is full.
    /// - Returns: whether the socket is full.
    func flush(
        _ encryption: StreamEncryption,
        sendCount: Int
    ) throws(NetworkError) -> Bool {
        guard writing != .ended else {
            // After closing our side nothing can be sent, not even the reply to a key update.
            _ = encryption.engine.takeOutput()
            return false
        }
        while true {
            let count = try encrypt(encryption)
            guard try sendOutput(encryption, sendCount: sendCount) else { return true }
            if count == 0 || queue.isEmpty { return false }
        }
    }

    /// Sends what the engine has for the peer.
    /// - Returns: whether all was sent, or is in the batch; otherwise the socket is full.
    private func sendOutput(
        _ encryption: StreamEncryption,
        sendCount: Int = 1
    ) throws(NetworkError) -> Bool {
        let output = encryption.engine.takeOutput()
        if encryption.ciphertext.isEmpty,
            output.withUnsafeBytes({ addToBatch($0, sendCount: sendCount) })
        {
            return true
        }
        guard encryption.ciphertext.isEmpty, let number = descriptor?.number else {
            encryption.ciphertext.append(output)
            return try send(&encryption.ciphertext)
        }
        do {
            let count = output.isEmpty ? 0 : try Socket.send(number, output) ?? 0
            group.figures?.traffic.byteCountSent += count
            guard count < output.count else { return true }
            encryption.ciphertext.append(output)
            encryption.ciphertext.consume(count)
            return false
        } catch {
            throw .stream(error)
        }
    }

    /// Sends close_notify.
    /// - Returns: whether it was sent.
    func sendCloseNotify(_ encryption: StreamEncryption) throws(NetworkError) -> Bool {
        encryption.engine.finishWriting()
        return try sendOutput(encryption)
    }

    /// Encrypts and sends `bytes`, and then `head` and `body`, when both queues are empty.
    func encryptNow(
        _ bytes: UnsafeRawBufferPointer,
        _ head: UnsafeRawBufferPointer,
        _ body: UnsafeRawBufferPointer,
        _ encryption: StreamEncryption
    ) {
        do {
            let count = try encryption.engine.write(bytes)
            queue.append(copying: UnsafeRawBufferPointer(rebasing: bytes[count...]))
        } catch {
            return close(.tls(error))
        }
        queue.append(copying: head, body)
        flush(sendCount: loop.handlerCount)
        if !queue.isEmpty || waitsForRoom { isGathering = false }
    }

    /// Moves plaintext from the queue to the engine.
    /// - Returns: the number of bytes; 0 if the queue is empty or the handshake incomplete.
    private func encrypt(_ encryption: StreamEncryption) throws(NetworkError) -> Int {
        var total = 0
        while !queue.isEmpty, total < StreamEncryption.plaintextBytesAhead {
            do {
                let count = try queue.withFirst { bytes throws(TLSError) in
                    try encryption.engine.write(bytes)
                }
                if count == 0 { break }
                queue.consume(count)
                total += count
            } catch {
                throw .tls(error)
            }
        }
        return total
    }

    /// Closes with `error`, and sends an alert if the socket accepts it at once.
    private func fail(_ error: TLSError, _ encryption: StreamEncryption) {
        settleBatch()
        encryption.ciphertext.append(encryption.engine.takeOutput())
        _ = try? send(&encryption.ciphertext)
        close(.tls(error))
    }
}
