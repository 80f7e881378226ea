// What an encrypted stream keeps besides its queues. ByteStream+Encryption.swift drives it.

import EventLoop
import TLSEngine

/// The TLS engine of one stream, with the ciphertext that waits for the socket.
final class StreamEncryption {
    /// How much plaintext is encrypted ahead of the socket, so that a slow reader's queue stays plain
    /// and shared.
    static let plaintextBytesAhead = 64 << 10

    let engine: TLSEngine
    var ciphertext = WriteQueue()
    /// Ends the stream where both sides do not agree in time.
    var handshakeTimer: TimerToken?
    /// Completed when both sides have agreed or the stream is closed, for who connects.
    var agreement: LoopPromise<Void, NetworkError>?
    var isDeliveryScheduled = false

    /// When the handshake began.
    let beganAt: ContinuousClock.Instant

    init(_ engine: TLSEngine, at now: ContinuousClock.Instant) {
        self.engine = engine
        beganAt = now
    }

    /// Whether both sides have yet to agree.
    var isShakingHands: Bool { handshakeTimer != nil }

    /// Tells who waits that both sides have agreed, or why they will not.
    func settle(_ result: Result<Void, NetworkError>) {
        handshakeTimer?.cancel()
        handshakeTimer = nil
        agreement?.complete(result)
        agreement = nil
    }
}
