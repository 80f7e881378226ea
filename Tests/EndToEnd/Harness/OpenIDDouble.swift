// An OpenID provider on loopback whose user the test chooses; it signs any claims, so that tests
// can use tokens that no provider would sign.

import COpenSSL
import Doubles
import FoundationEssentials
import HTTPProtocol
import Synchronization
import TestSupport
import Testing

/// The provider.
final class OpenIDDouble: Sendable {
    /// The next token's claims, and its signature.
    struct Answer: Sendable {
        var algorithm = "ES256"
        /// Changes the claims of a valid token.
        var change: @Sendable (inout [String: JSON]) -> Void = { _ in }
        /// Whether another key with the same name signs.
        var isForged = false
        /// Whether the last byte of the claims is changed after signing.
        var isDamaged = false
    }

    private struct State {
        var answer = Answer()
        var nonce = ""
        var challenge = ""
        /// Where browsers are redirected after sign-in; nil if the test does it.
        var returnOrigin: String?
        /// The PKCE verifier sent with the last code.
        var verifier = ""
    }

    private let state = Mutex(State())
    private let elliptic = try? SigningKey(EVP_PKEY_EC)
    private let rsa = try? SigningKey(EVP_PKEY_RSA)
    private let other = try? SigningKey(EVP_PKEY_EC)
    private let server = Mutex<HTTPDouble?>(nil)

    init() throws {
        let started = try HTTPDouble { [weak self] head, body in
            self?.reply(head, body) ?? HTTPDouble.Reply(status: 503)
        }
        server.withLock { $0 = started }
    }

    /// Stops its thread.
    func stop() { server.withLock { $0?.stop() } }

    var issuer: String { "http://127.0.0.1:\(server.withLock { $0?.port ?? 0 })" }

    /// Whether the verifier's SHA-256 is the challenge of the same sign-in.
    var hasProvedItself: Bool {
        state.withLock { state in
            let text = Array(state.verifier.utf8)
            var digest = [UInt8](repeating: 0, count: 32)
            SHA256(text, text.count, &digest)
            return Self.base64(digest) == state.challenge
        }
    }

    /// Sets the next token, and handles the browser's request.
    func expect(_ answer: Answer, _ location: HTTPRequestHead) {
        state.withLock { state in
            state.answer = answer
            state.nonce = location.queryValue("nonce") ?? ""
            state.challenge = location.queryValue("code_challenge") ?? ""
        }
    }

    /// From now on redirects browsers to a server automatically, with a code.
    func sendBack(to origin: String, with answer: Answer = Answer()) {
        state.withLock { state in
            state.returnOrigin = origin
            state.answer = answer
        }
    }

    static func base64(_ bytes: some Sequence<UInt8>) -> String {
        Data(bytes).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    // MARK: Serving

    private func reply(_ head: HTTPRequestHead, _ body: [UInt8]) -> HTTPDouble.Reply {
        if let back = wayBack(head) {
            return HTTPDouble.Reply(status: 302, headers: [.location: back])
        }
        return HTTPDouble.Reply(body: Array(answer(String(head.path), body).utf8))
    }

    /// The redirect for a browser that arrives: it signs in at once.
    private func wayBack(_ head: HTTPRequestHead) -> String? {
        guard head.path == "/authorize" else { return nil }
        return state.withLock { state in
            state.nonce = head.queryValue("nonce") ?? ""
            state.challenge = head.queryValue("code_challenge") ?? ""
            let query = "code=abc&state=\(head.queryValue("state") ?? "")"
            return state.returnOrigin.map { "\($0)/api/v1/openid/callback?\(query)" }
        }
    }

    private func answer(_ path: String, _ body: [UInt8]) -> String {
        switch path {
        case "/.well-known/openid-configuration":
            return """
                {"issuer":"\(issuer)","authorization_endpoint":"\(issuer)/authorize",\
                "token_endpoint":"\(issuer)/token","jwks_uri":"\(issuer)/keys"}
                """
        case "/keys":
            let keys = [elliptic?.ellipticJSON, rsa?.rsaJSON].compactMap { $0 }
            return #"{"keys":[{"kty":"OKP","kid":"odd"},\#(keys.joined(separator: ","))]}"#
        case "/token":
            let fields = HTTPQueryItem.parse(String(decoding: body, as: UTF8.self)) ?? []
            let verifier = fields.first { $0.name == "code_verifier" }?.value ?? ""
            state.withLock { $0.verifier = verifier }
            return #"{"token_type":"Bearer","id_token":"\#(token())"}"#
        default: return "{}"
        }
    }

    private func token() -> String {
        let (answer, nonce) = state.withLock { ($0.answer, $0.nonce) }
        let now = Date().timeIntervalSince1970.rounded()
        var claims: [String: JSON] = [
            "iss": .string(issuer), "sub": "248289761001", "aud": "stoa", "nonce": .string(nonce),
            "exp": .number(now + 300), "iat": .number(now), "preferred_username": "jane",
        ]
        answer.change(&claims)
        let isRSA = answer.algorithm == "RS256"
        let header = #"{"alg":"\#(answer.algorithm)","kid":"\#(isRSA ? "rsa" : "ec")"}"#
        guard let encoded = try? JSONEncoder().encode(claims) else { return "" }
        let signed = Self.base64(Array(header.utf8)) + "." + Self.base64(Array(encoded))
        let key = answer.isForged ? other : isRSA ? rsa : elliptic
        let signature = answer.algorithm == "none" ? [] : key?.sign(signed) ?? []
        guard answer.isDamaged else { return signed + "." + Self.base64(signature) }
        claims["sub"] = "somebody else"
        let changed = (try? JSONEncoder().encode(claims)).map { Array($0) } ?? []
        return Self.base64(Array(header.utf8)) + "." + Self.base64(changed) + "."
            + Self.base64(signature)
    }
}

/// A key that signs tokens.
///
/// Safety: unchecked; OpenSSL's keys may be used by several threads after creation.
private final class SigningKey: @unchecked Sendable {
    private let key: OpaquePointer
    private let isElliptic: Bool

    init(_ kind: Int32) throws {
        isElliptic = kind == EVP_PKEY_EC
        let generator = EVP_PKEY_CTX_new_id(kind, nil)
        defer { EVP_PKEY_CTX_free(generator) }
        try #require(EVP_PKEY_keygen_init(generator) == 1)
        if isElliptic {
            try #require(
                EVP_PKEY_CTX_set_ec_paramgen_curve_nid(generator, NID_X9_62_prime256v1) == 1
            )
        } else {
            try #require(EVP_PKEY_CTX_set_rsa_keygen_bits(generator, 2048) == 1)
        }
        var made: OpaquePointer?
        try #require(EVP_PKEY_keygen(generator, &made) == 1)
        key = try #require(made)
    }

    deinit { EVP_PKEY_free(key) }

    /// The SubjectPublicKeyInfo.
    private var publicKey: [UInt8] {
        var start: UnsafeMutablePointer<UInt8>?
        let count = i2d_PUBKEY(key, &start)
        defer { CRYPTO_free(start, nil, 0) }
        return Array(UnsafeBufferPointer(start: start, count: max(0, Int(count))))
    }

    var ellipticJSON: String {
        let point = publicKey.suffix(64)
        let (x, y) = (OpenIDDouble.base64(point.prefix(32)), OpenIDDouble.base64(point.suffix(32)))
        return #"{"kty":"EC","crv":"P-256","kid":"ec","x":"\#(x)","y":"\#(y)"}"#
    }

    var rsaJSON: String {
        // An RSA key of 2048 bits ends with its modulus of 256 bytes, and 65537 in five bytes.
        let modulus = OpenIDDouble.base64(publicKey.dropLast(5).suffix(256))
        return #"{"kty":"RSA","kid":"rsa","n":"\#(modulus)","e":"AQAB"}"#
    }

    func sign(_ text: String) -> [UInt8] {
        let text = Array(text.utf8)
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        var count = 1024
        var signature = [UInt8](repeating: 0, count: count)
        guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1,
            EVP_DigestSign(context, &signature, &count, text, text.count) == 1
        else { return [] }
        return isElliptic ? Self.plain(signature[..<count]) : Array(signature[..<count])
    }

    /// r and s, of 32 bytes each, from the DER sequence of two integers.
    private static func plain(_ sequence: ArraySlice<UInt8>) -> [UInt8] {
        var rest = sequence.dropFirst(2)
        var numbers: [UInt8] = []
        for _ in 0..<2 {
            let count = Int(rest[rest.startIndex + 1])
            let digits = rest.dropFirst(2).prefix(count).suffix(32)
            numbers += [UInt8](repeating: 0, count: 32 - digits.count) + digits
            rest = rest.dropFirst(2 + count)
        }
        return numbers
    }
}
