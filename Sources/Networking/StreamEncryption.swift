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

    /// Where the engine decrypts to.
    let plaintext: PlaintextBuffer

    /// The start of the handshake.
    let beganAt: ContinuousClock.Instant

    init(_ engine: TLSEngine, on loop: EventLoop) {
        self.engine = engine
        plaintext = loop.companion { PlaintextBuffer() }
        beganAt = loop.now
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

/// Plaintext on its way to a handler, one buffer for all streams of a loop: what they receive lies
/// in the loop's other buffer meanwhile.
final class PlaintextBuffer {
    /// The plaintext of one record at most (RFC 8446, section 5.1).
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 << 10, alignment: 16)

    deinit { bytes.deallocate() }
}
