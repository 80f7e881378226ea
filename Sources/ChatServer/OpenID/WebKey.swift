// A provider's public keys (RFC 7517, RFC 7518 section 6), and signature verification with OpenSSL.

import COpenSSL
import FoundationEssentials

/// A public key: RSA, or ECDSA on the curve P-256.
package struct WebKey: Decodable, Sendable {
    /// The provider's identifier of the key.
    package let id: String?
    /// Its SubjectPublicKeyInfo (RFC 5280, section 4.1) in DER, for OpenSSL.
    private let der: [UInt8]
    /// The only algorithm accepted for its signatures.
    package let algorithm: Algorithm

    /// The supported algorithms; "none" is not among them.
    package enum Algorithm: String, Decodable, Sendable {
        case rs256 = "RS256"
        case es256 = "ES256"
    }

    private enum Key: String, CodingKey { case kty, kid, n, e, crv, x, y }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        id = try container.decodeIfPresent(String.self, forKey: .kid)
        func bytes(_ key: Key) throws -> [UInt8] {
            guard let bytes = Base64URL.decode(try container.decode(String.self, forKey: key)),
                (1...1024).contains(bytes.count)
            else {
                throw DecodingError.dataCorruptedError(
                    forKey: key,
                    in: container,
                    debugDescription: "is no number"
                )
            }
            return bytes
        }
        let unfit = DecodingError.dataCorruptedError(
            forKey: .kty,
            in: container,
            debugDescription: "is no key that is taken here"
        )
        let kind = try container.decode(String.self, forKey: .kty)
        let curve = try container.decodeIfPresent(String.self, forKey: .crv)
        switch (kind, curve) {
        case ("RSA", _):
            let modulus = try bytes(.n)
            // Shorter keys are insecure (RFC 7518, section 3.3).
            guard modulus.drop(while: { $0 == 0 }).count >= 256 else { throw unfit }
            algorithm = .rs256
            der = DER.publicKey(modulus: modulus, exponent: try bytes(.e))
        case ("EC", "P-256"):
            let (x, y) = (try bytes(.x), try bytes(.y))
            guard x.count == 32, y.count == 32 else { throw unfit }
            algorithm = .es256
            der = DER.publicKey(x: x, y: y)
        default: throw unfit
        }
    }

    /// Whether `signature` is a valid signature of `text` by this key.
    func verifies(_ signature: [UInt8], of text: [UInt8]) -> Bool {
        var signature = signature
        if algorithm == .es256 {
            guard signature.count == 64 else { return false }
            signature = DER.signature(r: signature[..<32], s: signature[32...])
        }
        let key: OpaquePointer? = der.withUnsafeBufferPointer { bytes in
            var start = bytes.baseAddress
            return d2i_PUBKEY(nil, &start, bytes.count)
        }
        guard let key, let context = EVP_MD_CTX_new() else { return false }
        defer {
            EVP_MD_CTX_free(context)
            EVP_PKEY_free(key)
            ERR_clear_error()
        }
        guard EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1 else { return false }
        return EVP_DigestVerify(context, signature, signature.count, text, text.count) == 1
    }
}

/// A provider's keys. Unsupported kinds are skipped.
package struct WebKeySet: Decodable, Sendable {
    package let keys: [WebKey]

    private struct Entry: Decodable {
        let key: WebKey?
        init(from decoder: any Decoder) throws { key = try? WebKey(from: decoder) }
    }

    private enum Key: String, CodingKey { case keys }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        keys = try container.decode([Entry].self, forKey: .keys).compactMap(\.key)
    }
}

/// The few DER structures (X.690) that keys and signatures need.
private enum DER {
    static func publicKey(modulus: [UInt8], exponent: [UInt8]) -> [UInt8] {
        let numbers = element(0x30, integer(modulus[...]) + integer(exponent[...]))
        // rsaEncryption, 1.2.840.113549.1.1.1, with NULL.
        let algorithm: [UInt8] = [
            0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05,
            0x00,
        ]
        return element(0x30, algorithm + element(0x03, [0] + numbers))
    }

    static func publicKey(x: [UInt8], y: [UInt8]) -> [UInt8] {
        // id-ecPublicKey, 1.2.840.10045.2.1, on prime256v1, 1.2.840.10045.3.1.7.
        let algorithm: [UInt8] = [
            0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A,
            0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07,
        ]
        return element(0x30, algorithm + element(0x03, [0, 4] + x + y))
    }

    static func signature(r: ArraySlice<UInt8>, s: ArraySlice<UInt8>) -> [UInt8] {
        element(0x30, integer(r) + integer(s))
    }

    /// A non-negative integer in as few bytes as possible.
    private static func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var digits = Array(bytes.drop { $0 == 0 })
        if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
        return element(0x02, digits)
    }

    private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        let length: [UInt8] =
            switch count {
            case ..<0x80: [UInt8(count)]
            case ..<0x100: [0x81, UInt8(count)]
            default: [0x82, UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF)]
            }
        return [tag] + length + content
    }
}
