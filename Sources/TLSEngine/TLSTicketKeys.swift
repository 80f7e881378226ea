// What session tickets are sealed with (RFC 5077; RFC 8446, section 4.6.1). The state of a session lies with
// its client, sealed; who has the key reads all sessions that it sealed, so keys don't last.

import COpenSSL
import Synchronization

/// The keys of session tickets, changed as they age. Shared by the configurations of one server, so that
/// sessions outlive a change of certificates; kept in memory alone.
public final class TLSTicketKeys: Sendable {
    /// A key with its name, which tickets bear.
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

    /// Fresh keys.
    /// - Parameter lifetime: how long a key seals tickets; it opens them as long again.
    public init(lifetime: Duration = .seconds(6 * 3600)) {
        self.lifetime = lifetime
        keys = Mutex(Keys(latest: Key(madeAt: .now)))
    }

    /// The key to seal a ticket with.
    package func sealingKey(at now: ContinuousClock.Instant = .now) -> Key {
        keys.withLock { keys in
            if now - keys.latest.madeAt >= lifetime {
                keys = Keys(latest: Key(madeAt: now), earlier: keys.latest)
            }
            return keys.latest
        }
    }

    /// The key that a ticket was sealed with; nil where it has had its time.
    package func openingKey(
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
    /// Seals tickets with `keys`, which the context must keep alive.
    func sealTickets(with keys: TLSTicketKeys) {
        SSL_CTX_set_ex_data(pointer, 0, Unmanaged.passUnretained(keys).toOpaque())
        SSL_CTX_set_tlsext_ticket_key_evp_cb(pointer) { connection, name, iv, cipher, mac, seals in
            guard let keys = SSL_CTX_get_ex_data(SSL_get_SSL_CTX(connection), 0), let name, let iv
            else { return -1 }
            return Unmanaged<TLSTicketKeys>.fromOpaque(keys).takeUnretainedValue()
                .prepare(name, iv, cipher, mac, seals: seals == 1)
        }
    }
}

extension TLSTicketKeys {
    /// OpenSSL's call for each ticket that it seals or opens.
    /// - Returns: what OpenSSL expects: -1 where that fails, 0 for a ticket that cannot be opened, 1 for
    ///   one that can, and 2 for one that should be sealed anew.
    fileprivate func prepare(
        _ name: UnsafeMutablePointer<UInt8>,
        _ iv: UnsafeMutablePointer<UInt8>,
        _ cipher: OpaquePointer?,
        _ mac: OpaquePointer?,
        seals: Bool
    ) -> Int32 {
        let place = UnsafeMutableBufferPointer(start: name, count: 16)
        if seals {
            let key = sealingKey()
            guard RAND_bytes(iv, EVP_MAX_IV_LENGTH) == 1 else { return -1 }
            _ = place.update(fromContentsOf: key.name)
            return copenssl_set_ticket_key(cipher, mac, key.cipher, key.mac, iv, 1) == 1 ? 1 : -1
        }
        guard let key = openingKey(named: place) else { return 0 }
        guard copenssl_set_ticket_key(cipher, mac, key.cipher, key.mac, iv, 0) == 1 else {
            return -1
        }
        return key.name == sealingKey().name ? 1 : 2
    }
}
