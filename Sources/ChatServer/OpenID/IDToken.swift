// What a provider says of who signed in (OpenID Connect Core 1.0, sections 2 and 3.1.3.7): taken only
// where its signature and every claim that must be checked are right.

import FoundationEssentials

/// The claims of an ID token that was verified.
package struct IDToken: Sendable {
    /// Who, as the provider knows them for ever.
    package let subject: String
    /// What they like to be called.
    package let preferredName: String?

    /// What a token must say to be for this sign-in.
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

    /// Why a token is not taken: for the log.
    package struct Refusal: Error, Sendable, CustomStringConvertible {
        package let description: String
    }

    private struct Header: Decodable {
        let alg: String
        let kid: String?
        /// Extensions that a reader must understand: none is.
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

    /// One text, or a list of them.
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

    /// How far the provider's clock may be off, in seconds.
    private static let skew = 60.0

    /// Reads a token.
    /// - Parameters:
    ///   - text: header, claims and signature, with dots between them (RFC 7515).
    ///   - keys: the provider's.
    ///   - expected: what it must say.
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
        // The key says which algorithm it is for: the token's word is not enough.
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
