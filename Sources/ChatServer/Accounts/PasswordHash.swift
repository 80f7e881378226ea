// Passwords are stored as scrypt hashes (RFC 7914) with their parameters, so that old hashes stay
// valid when the cost is raised.

import COpenSSL
package import ChatProtocol
import Digests

/// A stored password.
package struct PasswordHash {
    /// N = 2^17, r = 8, p = 1: 128 MiB per hash, as OWASP recommends for scrypt.
    package static let standard = Cost(n: 1 << 17, r: 8, p: 1)

    /// The parameters of scrypt.
    package struct Cost: Equatable {
        package let n: UInt64
        package let r: UInt64
        package let p: UInt64

        package init(n: UInt64, r: UInt64, p: UInt64) {
            self.n = n
            self.r = r
            self.p = p
        }

        /// The memory limit for scrypt, with a reserve, in bytes.
        var memoryLimit: UInt64 { 128 * n * r + 128 * r * p + (1 << 20) }
    }

    package let cost: Cost
    let salt: [UInt8]
    let digest: [UInt8]

    /// Hashes a password with a new salt. Slow on purpose: never call it on the loop.
    package static func make(_ password: String, cost: Cost = standard) throws(WireError)
        -> PasswordHash
    {
        let salt = SecureRandom.bytes(16)
        let digest = try scrypt(password, salt: salt, cost: cost)
        return PasswordHash(cost: cost, salt: salt, digest: digest)
    }

    /// A hash at the standard cost that no password has, to check unknown names against.
    package static func decoy() -> PasswordHash {
        PasswordHash(
            cost: standard,
            salt: SecureRandom.bytes(16),
            digest: SecureRandom.bytes(32)
        )
    }

    /// Whether its cost is below the standard, in memory or in time.
    package var isWeak: Bool {
        let own = cost.n * cost.r
        return own < Self.standard.n * Self.standard.r
            || own * cost.p < Self.standard.n * Self.standard.r * Self.standard.p
    }

    /// Whether `password` is the hashed one; compared in constant time. Slow on purpose: never call
    /// it on the loop.
    package func matches(_ password: String) throws(WireError) -> Bool {
        let other = try Self.scrypt(password, salt: salt, cost: cost)
        return other.count == digest.count && CRYPTO_memcmp(other, digest, digest.count) == 0
    }

    private static func scrypt(
        _ password: String,
        salt: [UInt8],
        cost: Cost
    ) throws(WireError) -> [UInt8] {
        let bytes = Array(password.utf8)
        var digest = [UInt8](repeating: 0, count: 32)
        let status = bytes.withUnsafeBytes { bytes in
            EVP_PBE_scrypt(
                bytes.bindMemory(to: CChar.self).baseAddress,
                bytes.count,
                salt,
                salt.count,
                cost.n,
                cost.r,
                cost.p,
                cost.memoryLimit,
                &digest,
                digest.count
            )
        }
        guard status == 1 else {
            throw WireError(.internalError, "the server could not check passwords just now")
        }
        return digest
    }
}

extension PasswordHash: CustomStringConvertible {
    /// `scrypt$N$r$p$salt$hash`, salt and hash in hexadecimal digits.
    package var description: String {
        let hex = (Hexadecimal.text(salt), Hexadecimal.text(digest))
        return "scrypt$\(cost.n)$\(cost.r)$\(cost.p)$\(hex.0)$\(hex.1)"
    }

    /// Parses what `description` wrote; nil if invalid, or if the cost is out of range.
    package init?(_ text: String) {
        let parts = text.split(separator: "$")
        guard parts.count == 6, parts[0] == "scrypt",
            let n = UInt64(parts[1]), n > 1, n <= 1 << 20, n.nonzeroBitCount == 1,
            let r = UInt64(parts[2]), (1...32).contains(r),
            let p = UInt64(parts[3]), (1...16).contains(p),
            let salt = Hexadecimal.bytes(parts[4]), let digest = Hexadecimal.bytes(parts[5]),
            digest.count == 32
        else { return nil }
        self.init(cost: Cost(n: n, r: r, p: p), salt: salt, digest: digest)
    }
}
