// Keys of session tickets (RFC 5077; RFC 8446, section 4.6.1). The client stores the encrypted
// session state; the key decrypts all sessions that it encrypted, so keys are rotated.

import COpenSSL
import Synchronization

/// The keys of session tickets, rotated by age and only kept in memory. The configurations of a
/// server share them, so that sessions can be resumed after certificates have changed.
public final class TLSTicketKeys: Sendable {
    /// A key with its name, which tickets contain.
    package struct Key: Sendable {
        /// 16 bytes.
        package let name = TLSTicketKeys.randomBytes(16)
        let cipher = TLSTicketKeys.randomBytes(32)
        let mac = TLSTicketKeys.randomBytes(32)
        let madeAt: ContinuousClock.Instant
    }

    private struct Keys: Sendable {
        var latest: Key
        var earlier: Key?
    }

    private let keys: Mutex<Keys>
    private let lifetime: Duration

    /// Generates keys.
    /// - Parameter lifetime: how long a key encrypts tickets; it decrypts them for as long again.
    public init(lifetime: Duration = .seconds(6 * 3600)) {
        self.lifetime = lifetime
        keys = Mutex(Keys(latest: Key(madeAt: .now)))
    }

    /// The key for encrypting a ticket.
    package func encryptionKey(at now: ContinuousClock.Instant = .now) -> Key {
        keys.withLock { keys in
            if now - keys.latest.madeAt >= lifetime {
                keys = Keys(latest: Key(madeAt: now), earlier: keys.latest)
            }
            return keys.latest
        }
    }

    /// The key that a ticket was encrypted with; nil if it has expired.
    package func decryptionKey(
        named name: some Collection<UInt8>,
        at now: ContinuousClock.Instant = .now
    ) -> Key? {
        let known: [Key?] = keys.withLock { [$0.latest, $0.earlier] }
        return known.compactMap(\.self).first { key in
            key.name.elementsEqual(name) && now - key.madeAt < lifetime * 2
        }
    }

    fileprivate static func randomBytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}

extension TLSContext {
    /// Encrypts tickets with `keys`, which the context retains.
    func encryptTickets(with keys: TLSTicketKeys) {
        SSL_CTX_set_ex_data(pointer, 0, Unmanaged.passUnretained(keys).toOpaque())
        SSL_CTX_set_tlsext_ticket_key_evp_cb(pointer) { connection, name, iv, cipher, mac, seals in
            guard let keys = SSL_CTX_get_ex_data(SSL_get_SSL_CTX(connection), 0), let name, let iv
            else { return -1 }
            let ticket = TicketUse(seals: seals == 1, version: SSL_version(connection))
            return Unmanaged<TLSTicketKeys>.fromOpaque(keys).takeUnretainedValue()
                .prepare(name, iv, cipher, mac, for: ticket).rawValue
        }
    }
}

/// What OpenSSL wants to do with a ticket.
private enum TicketUse {
    case seal
    /// `isOnlyUse`: clients do not send the ticket again (RFC 8446, appendix C.4).
    case open(isOnlyUse: Bool)

    init(seals: Bool, version: Int32) {
        self = seals ? .seal : .open(isOnlyUse: version >= TLS1_3_VERSION)
    }
}

/// The answers to OpenSSL's callback (SSL_CTX_set_tlsext_ticket_key_evp_cb(3)).
private enum TicketAnswer: Int32 {
    case failed = -1
    /// The ticket is not used: the handshake is a full one.
    case unknown = 0
    case ready = 1
    /// The client gets another ticket.
    case readyAndRenewed = 2
}

extension TLSTicketKeys {
    /// Gives OpenSSL the key for a ticket that it seals or opens.
    fileprivate func prepare(
        _ name: UnsafeMutablePointer<UInt8>,
        _ iv: UnsafeMutablePointer<UInt8>,
        _ cipher: OpaquePointer?,
        _ mac: OpaquePointer?,
        for use: TicketUse
    ) -> TicketAnswer {
        let place = UnsafeMutableBufferPointer(start: name, count: 16)
        switch use {
        case .seal:
            let key = encryptionKey()
            guard RAND_bytes(iv, EVP_MAX_IV_LENGTH) == 1 else { return .failed }
            _ = place.update(fromContentsOf: key.name)
            return copenssl_set_ticket_key(cipher, mac, key.cipher, key.mac, iv, 1) == 1
                ? .ready : .failed
        case .open(let isOnlyUse):
            guard let key = decryptionKey(named: place) else { return .unknown }
            guard copenssl_set_ticket_key(cipher, mac, key.cipher, key.mac, iv, 0) == 1 else {
                return .failed
            }
            return isOnlyUse || key.name != encryptionKey().name ? .readyAndRenewed : .ready
        }
    }
}
