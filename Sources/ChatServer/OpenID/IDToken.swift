// ID tokens (OpenID Connect Core 1.0, sections 2 and 3.1.3.7): accepted only if the signature and
// all claims that must be checked are valid.

import FoundationEssentials

/// The claims of a verified ID token.
package struct IDToken: Sendable {
    /// The provider's permanent identifier of the user.
    package let subject: String
    /// The user's preferred name.
    package let preferredName: String?

    /// What a token must contain for this sign-in.
    package struct Expectation: Sendable {
        package var issuer: String
        package var clientID: String
        package var nonce: String
        /// The time, in seconds since 1970.
        package var now: Double

        package init(issuer: String, clientID: String, nonce: String, now: Double) {
            self.issuer = issuer
            self.clientID = clientID
            self.nonce = nonce
            self.now = now
        }
    }

    /// Why a token was rejected, for the log.
    package struct Refusal: Error, Sendable, CustomStringConvertible {
        package let description: String
    }

    private struct Header: Decodable {
        let alg: String
        let kid: String?
        /// Extensions that a reader must understand: none is supported.
        let crit: [String]?
    }

    private struct Claims: Decodable {
        let iss: String
        let sub: String
        let aud: Audience
        let azp: String?
        let exp: Double
        let iat: Double
        let nbf: Double?
        let nonce: String?
        let preferredName: String?

        enum CodingKeys: String, CodingKey {
            case iss, sub, aud, azp, exp, iat, nbf, nonce
            case preferredName = "preferred_username"
        }
    }

    /// A single text, or a list.
    private struct Audience: Decodable {
        let all: [String]

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let one = try? container.decode(String.self) {
                all = [one]
            } else {
                all = try container.decode([String].self)
            }
        }
    }

    /// Allowed clock skew to the provider, in seconds.
    private static let skew = 60.0

    /// Verifies a token.
    /// - Parameters:
    ///   - text: header, claims and signature, separated by dots (RFC 7515).
    ///   - keys: the provider's keys.
    ///   - expected: what the token must contain.
    /// - Throws: `Refusal`.
    package init(
        _ text: String,
        keys: WebKeySet,
        expected: Expectation
    ) throws(Refusal) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard text.utf8.count <= 64 << 10, parts.count == 3,
            let headerBytes = Base64URL.decode(parts[0]),
            let claimBytes = Base64URL.decode(parts[1]),
            let signature = Base64URL.decode(parts[2]),
            let header = try? JSONDecoder().decode(Header.self, from: Data(headerBytes)),
            let claims = try? JSONDecoder().decode(Claims.self, from: Data(claimBytes))
        else { throw Refusal(description: "it is malformed") }
        let signed = Array("\(parts[0]).\(parts[1])".utf8)
        // The key determines the algorithm: the token's header is not trusted.
        let candidates = keys.keys.filter { key in
            key.algorithm.rawValue == header.alg && (header.kid == nil || key.id == header.kid)
        }
        guard header.crit == nil, candidates.contains(where: { $0.verifies(signature, of: signed) })
        else { throw Refusal(description: "no key of the provider has signed it") }
        guard claims.iss == expected.issuer else { throw Refusal(description: "of another issuer") }
        guard claims.aud.all.contains(expected.clientID),
            claims.azp.map({ $0 == expected.clientID }) ?? (claims.aud.all.count == 1)
        else { throw Refusal(description: "for somebody else") }
        guard claims.exp > expected.now - Self.skew, claims.iat < expected.now + Self.skew,
            claims.nbf.map({ $0 < expected.now + Self.skew }) ?? true
        else { throw Refusal(description: "out of date, or of the future") }
        guard claims.nonce == expected.nonce else {
            throw Refusal(description: "of another sign-in")
        }
        guard (1...255).contains(claims.sub.utf8.count) else {
            throw Refusal(description: "of nobody")
        }
        subject = claims.sub
        preferredName = claims.preferredName
    }
}
