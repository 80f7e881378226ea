// The TLS side of a stream: the same queues and handlers, with an engine between them and the socket.

import EventLoop
import Instruments
import TLSEngine

extension ByteStream {
    /// Whether the bytes travel encrypted.
    public var isEncrypted: Bool { encryption != nil || carried?.isEncrypted == true }

    /// Begins the handshake: the client speaks first, the server waits for it.
    func beginHandshake(_ encryption: StreamEncryption) {
        encryption.handshakeTimer = loop.schedule(after: limits.handshakeLimit) { [weak self] in
            self?.close(.timedOut)
        }
        updateInterest()
        scheduleFlush()
    }

    /// Waits, for who connects, until both sides have agreed.
    func awaitHandshake(within duration: Duration) async throws(NetworkError) {
        guard let encryption, !encryption.engine.isHandshakeDone else { return }
        let agreement = LoopPromise<Void, NetworkError>(loop)
        encryption.agreement = agreement
        let timer = loop.schedule(after: duration) { [weak self] in self?.close(.timedOut) }
        defer { timer.cancel() }
        try await agreement.value { [self] in close(.cancelled) }
    }

    // MARK: Reading

    /// Takes ciphertext from the socket and hands over what it says.
    func receive(ciphertext: UnsafeRawBufferPointer, _ encryption: StreamEncryption) {
        do {
            try encryption.engine.receive(ciphertext)
        } catch {
            fail(error, encryption)
            return
        }
        if encryption.isShakingHands, encryption.engine.isHandshakeDone {
            figures?.traffic.handshakeTimes.record(loop.now - encryption.beganAt)
            if encryption.engine.isResumed { figures?.traffic.resumedCount += 1 }
            encryption.settle(.success(()))
        }
        deliver(encryption)
        // Each attempt to renegotiate, or to change keys, is answered: who never reads the answers may
        // not pile them up here.
        guard queuedByteCount + encryption.engine.outputByteCount <= limits.writeByteLimit else {
            close(.writeQueueFull(byteLimit: limits.writeByteLimit))
            return
        }
        // The engine may have an answer, or the queue waited for the end of the handshake.
        if encryption.engine.hasOutput || !queue.isEmpty { scheduleFlush() }
    }

    /// Hands over, at the turn's end, what came or was decrypted while nobody wanted it.
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
        let buffer = loop.receiveBuffer
        // The handler may pause or close the stream between two pieces.
        while isOpen, encryption.engine.isHandshakeDone, wantsToRead {
            do {
                switch try encryption.engine.read(into: buffer) {
                case .nothing: return
                case .end: receivedEnd()
                case .bytes(let count):
                    handOver(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                }
            } catch {
                fail(error, encryption)
            }
        }
        updateInterest()
    }

    // MARK: Writing

    /// Encrypts and sends until nothing waits or the socket is full.
    /// - Returns: whether the socket is full.
    func flush(_ encryption: StreamEncryption) throws(NetworkError) -> Bool {
        guard writing != .ended else {
            // After our end there is nobody to tell, not even the answer to a key update.
            _ = encryption.engine.takeOutput()
            return false
        }
        while true {
            let count = try encrypt(encryption)
            encryption.ciphertext.append(encryption.engine.takeOutput())
            guard try send(&encryption.ciphertext) else { return true }
            if count == 0 || queue.isEmpty { return false }
        }
    }

    /// Sends the farewell.
    /// - Returns: whether it has gone.
    func sendFarewell(_ encryption: StreamEncryption) throws(NetworkError) -> Bool {
        encryption.engine.finishWriting()
        encryption.ciphertext.append(encryption.engine.takeOutput())
        return try send(&encryption.ciphertext)
    }

    /// Moves plaintext from the queue into the engine.
    /// - Returns: how many bytes; 0 where none wait or the handshake is not done.
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

    /// Closes because of `error`, and tells the peer where that is possible at once.
    private func fail(_ error: TLSError, _ encryption: StreamEncryption) {
        encryption.ciphertext.append(encryption.engine.takeOutput())
        _ = try? send(&encryption.ciphertext)
        close(.tls(error))
    }
}
