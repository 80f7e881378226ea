// The OpenID provider (OpenID Connect Core 1.0, Discovery 1.0; authorization code flow with PKCE,
// RFC 7636): discovery, keys, and the exchange of codes for tokens.

import Digests
import EventLoop
import FoundationEssentials
import HTTPProtocol
import Logging

/// The settings of a provider.
struct OpenIDConfiguration: Sendable {
    let issuer: String
    let clientID: String
    /// Nil for a public client: PKCE proves that the same client redeems the code.
    let clientSecret: String?
    /// Where the provider redirects browsers to.
    let redirectURI: String

    /// The provider's host name, which tells users where they are redirected.
    var host: String { HTTPURL(ofProvider: issuer)?.origin.host ?? issuer }
}

/// An invalid response of the provider, for the log.
struct OpenIDError: Error, CustomStringConvertible {
    let description: String
}

/// One provider. Lives on its loop.
final class OpenIDProvider {
    /// How long documents are cached.
    private static let lifetime: Duration = .seconds(3600)
    /// How soon keys are fetched again if none matches.
    private static let retryInterval: Duration = .seconds(60)

    private struct Metadata: Decodable {
        let issuer: String
        let authorizationEndpoint: String
        let tokenEndpoint: String
        let keys: String

        enum CodingKeys: String, CodingKey {
            case issuer
            case authorizationEndpoint = "authorization_endpoint"
            case tokenEndpoint = "token_endpoint"
            case keys = "jwks_uri"
        }
    }

    private struct TokenReply: Decodable {
        let token: String

        enum CodingKeys: String, CodingKey { case token = "id_token" }
    }

    let configuration: OpenIDConfiguration
    private let loop: EventLoop
    private let http: OutgoingHTTP
    private var metadata: (value: Metadata, at: ContinuousClock.Instant)?
    private var keys: (value: WebKeySet, at: ContinuousClock.Instant)?

    init(_ configuration: OpenIDConfiguration, loop: EventLoop, workers: WorkerPool) {
        self.configuration = configuration
        self.loop = loop
        http = OutgoingHTTP(loop: loop, workers: workers)
    }

    /// The URL to which a browser is redirected to sign in.
    /// - Parameters:
    ///   - state: returned with the code.
    ///   - nonce: returned in the token.
    ///   - verifier: the PKCE code verifier.
    /// - Returns: the URL.
    /// - Throws: `OpenIDError`, or why the provider cannot be reached.
    func authorizationURL(state: String, nonce: String, verifier: String) async throws -> String {
        let endpoint = try await discover().authorizationEndpoint
        let challenge = Base64URL.encode(SHA256.digest(of: verifier).bytes)
        let query = Self.form([
            ("response_type", "code"), ("client_id", configuration.clientID),
            ("redirect_uri", configuration.redirectURI), ("scope", "openid profile"),
            ("state", state), ("nonce", nonce), ("code_challenge", challenge),
            ("code_challenge_method", "S256"),
        ])
        return endpoint + (endpoint.contains("?") ? "&" : "?") + query
    }

    /// Exchanges a code for a token, and verifies it.
    /// - Throws: `OpenIDError`, `IDToken.Refusal`, or why the provider cannot be reached.
    func redeem(code: String, verifier: String, nonce: String) async throws -> IDToken {
        let endpoint = try await discover().tokenEndpoint
        var headers: HTTPHeaders = [.contentType: "application/x-www-form-urlencoded"]
        var fields = [
            ("grant_type", "authorization_code"), ("code", code),
            ("redirect_uri", configuration.redirectURI), ("code_verifier", verifier),
        ]
        if let secret = configuration.clientSecret {
            // RFC 6749, section 2.3.1.
            let pair = [configuration.clientID, secret].map { PercentEncoding.encode($0) }
                .joined(separator: ":")
            headers[.authorization] = "Basic " + Data(pair.utf8).base64EncodedString()
        } else {
            fields.append(("client_id", configuration.clientID))
        }
        let body = Array(Self.form(fields).utf8)
        let reply = try await ask(TokenReply.self, .post, endpoint, headers, body)
        let expected = IDToken.Expectation(
            issuer: configuration.issuer,
            clientID: configuration.clientID,
            nonce: nonce,
            now: Date().timeIntervalSince1970
        )
        let known = try await webKeys(after: Self.lifetime)
        do throws(IDToken.Refusal) {
            return try IDToken(reply.token, keys: known, expected: expected)
        } catch {
            // The provider may have rotated its keys.
            let fresh = try await webKeys(after: Self.retryInterval)
            return try IDToken(reply.token, keys: fresh, expected: expected)
        }
    }

    // MARK: Documents

    private func discover() async throws -> Metadata {
        if let metadata, loop.now - metadata.at < Self.lifetime { return metadata.value }
        let issuer = configuration.issuer
        let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        let url = "\(base)/.well-known/openid-configuration"
        let found = try await ask(Metadata.self, .get, url)
        guard found.issuer == issuer else {
            throw OpenIDError(description: "\(issuer) says that it is another issuer")
        }
        metadata = (found, loop.now)
        return found
    }

    private func webKeys(after age: Duration) async throws -> WebKeySet {
        if let keys, loop.now - keys.at < age { return keys.value }
        let found = try await ask(WebKeySet.self, .get, try await discover().keys)
        keys = (found, loop.now)
        return found
    }

    private func ask<Reply: Decodable>(
        _ type: Reply.Type,
        _ method: HTTPMethod,
        _ text: String,
        _ headers: HTTPHeaders = [:],
        _ body: [UInt8] = []
    ) async throws -> Reply {
        guard let url = HTTPURL(ofProvider: text) else {
            throw OpenIDError(description: "the provider names no https URL")
        }
        var headers = headers
        headers[.accept] = "application/json"
        let (status, answer) = try await http.send(method, url, headers: headers, body: body)
        guard status == 200, let reply = try? JSONDecoder().decode(type, from: Data(answer)) else {
            throw OpenIDError(
                description: "\(url.origin.host) answered with \(status), or no such document"
            )
        }
        return reply
    }

    private static func form(_ fields: [(String, String)]) -> String {
        fields.map { "\($0.0)=\(PercentEncoding.encode($0.1))" }.joined(separator: "&")
    }
}
