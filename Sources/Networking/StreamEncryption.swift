// The TLS state of an encrypted stream. ByteStream+Encryption.swift uses it.

import EventLoop
import TLSEngine

/// The TLS engine of one stream, and the ciphertext to send.
final class StreamEncryption {
    /// Maximum plaintext that is encrypted ahead of the socket, so that the queue of a slow
    /// consumer stays in shared plaintext.
    static let plaintextBytesAhead = 64 << 10

    let engine: TLSEngine
    var ciphertext = WriteQueue()
    /// Closes the stream if the handshake takes too long.
    var handshakeTimer: TimerToken?
    /// Completed at the end of the handshake or when the stream is closed, for connecting clients.
    var handshakeResult: LoopPromise<Void, NetworkError>?
    var isDeliveryScheduled = false

    /// The start of the handshake.
    let beganAt: ContinuousClock.Instant

    init(_ engine: TLSEngine, at now: ContinuousClock.Instant) {
        self.engine = engine
        beganAt = now
    }

    /// Whether the handshake is in progress.
    var isHandshaking: Bool { handshakeTimer != nil }

    /// Completes the promise of the handshake with its result.
    func finishHandshake(_ result: Result<Void, NetworkError>) {
        handshakeTimer?.cancel()
        handshakeTimer = nil
        handshakeResult?.complete(result)
        handshakeResult = nil
    }
}
