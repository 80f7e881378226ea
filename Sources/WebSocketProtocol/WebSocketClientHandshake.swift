// The client side of the opening handshake, RFC 6455 section 4.1.

public import HTTPProtocol

/// A handshake: the request to send and the check of the response.
public struct WebSocketClientHandshake: Sendable {
    /// The request to send with `HTTPClientConnection.send`.
    public let request: HTTPRequestHead
    private let key: String
    private let subprotocols: [String]
    private let offered: PerMessageDeflate?

    /// Creates a handshake with a random key.
    ///
    /// `host` is name and port as in the URL. `subprotocols` are in order of preference; if there
    /// are any, the server must select one. `headers` are additional fields, such as
    /// `Authorization`. `compression` is offered.
    public init(
        target: String,
        host: String,
        subprotocols: [String] = [],
        headers: HTTPHeaders = HTTPHeaders(),
        compression: PerMessageDeflate? = nil
    ) {
        var generator = SystemRandomNumberGenerator()
        let nonce = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        self.init(
            target: target,
            host: host,
            subprotocols: subprotocols,
            headers: headers,
            compression: compression,
            nonce: nonce
        )
    }

    /// Creates a handshake with the key from `nonce`, 16 bytes.
    package init(
        target: String,
        host: String,
        subprotocols: [String],
        headers: HTTPHeaders,
        compression: PerMessageDeflate? = nil,
        nonce: [UInt8]
    ) {
        key = Base64.encode(nonce)
        self.subprotocols = subprotocols
        offered = compression
        var headers = headers
        headers[.upgrade] = "websocket"
        headers[.connection] = "Upgrade"
        headers[.secWebSocketVersion] = "13"
        headers[.secWebSocketKey] = key
        if !subprotocols.isEmpty {
            headers[.secWebSocketProtocol] = subprotocols.joined(separator: ", ")
        }
        if let compression { headers[.secWebSocketExtensions] = compression.offer.text }
        request = HTTPRequestHead(.get, target, host: host, headers: headers)
    }

    /// Checks the server's response and returns the selected subprotocol.
    /// - Throws: why the handshake failed. Close the connection then.
    public func verify(
        _ response: HTTPResponseHead
    ) throws(WebSocketHandshakeError) -> String? {
        guard response.status == .switchingProtocols else { throw .refused(response.status) }
        let accepts = response.headers.values(of: .secWebSocketAccept)
        guard response.headers.tokens(of: .upgrade) == ["websocket"],
            response.headers.tokens(of: .connection).contains("upgrade"),
            accepts == [WebSocketHandshake.acceptValue(forKey: key)]
        else { throw .malformed }
        _ = try compression(in: response)
        let chosen = response.headers.values(of: .secWebSocketProtocol)
        if subprotocols.isEmpty, chosen.isEmpty { return nil }
        guard chosen.count == 1, subprotocols.contains(chosen[0]) else { throw .wrongSubprotocol }
        return chosen[0]
    }

    /// The negotiated compression, for `WebSocketConnection`; nil for none.
    /// - Throws: `malformed` or `wrongExtension` if the response does not match the offer, as
    ///   `verify` does.
    public func compression(
        in response: HTTPResponseHead
    ) throws(WebSocketHandshakeError) -> PerMessageDeflate? {
        let lines = response.headers.values(of: .secWebSocketExtensions)
        guard let line = lines.first else { return nil }
        guard lines.count == 1, let answers = WebSocketExtension.list(line) else {
            throw .malformed
        }
        guard let offered, answers.count == 1, let agreed = offered.agreed(by: answers[0]) else {
            throw .wrongExtension
        }
        return agreed
    }
}
