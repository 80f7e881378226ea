// The client's part of the opening handshake, RFC 6455 section 4.1, over HTTP heads.

public import HTTPProtocol

/// One handshake: the request to send, and the check of the response.
public struct WebSocketClientHandshake: Sendable {
    /// The request to send with `HTTPClientConnection.send`.
    public let request: HTTPRequestHead
    private let key: String
    private let subprotocols: [String]

    /// A handshake with a new random key.
    ///
    /// `host` is name and port as in the URL. Of `subprotocols`, in order of preference, the server
    /// has to choose one where there are any. `headers` are sent along, such as `Authorization`.
    public init(
        target: String,
        host: String,
        subprotocols: [String] = [],
        headers: HTTPHeaders = HTTPHeaders()
    ) {
        var generator = SystemRandomNumberGenerator()
        let nonce = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        self.init(
            target: target,
            host: host,
            subprotocols: subprotocols,
            headers: headers,
            nonce: nonce
        )
    }

    /// A handshake with the key made of `nonce`, 16 bytes.
    package init(
        target: String,
        host: String,
        subprotocols: [String],
        headers: HTTPHeaders,
        nonce: [UInt8]
    ) {
        key = Base64.encode(nonce)
        self.subprotocols = subprotocols
        var headers = headers
        headers[.upgrade] = "websocket"
        headers[.connection] = "Upgrade"
        headers[.secWebSocketVersion] = "13"
        headers[.secWebSocketKey] = key
        if !subprotocols.isEmpty {
            headers[.secWebSocketProtocol] = subprotocols.joined(separator: ", ")
        }
        request = HTTPRequestHead(.get, target, host: host, headers: headers)
    }

    /// Checks the server's answer and returns the subprotocol that it has chosen.
    /// - Throws: why the connection is no WebSocket. Close it then.
    public func verify(
        _ response: HTTPResponseHead
    ) throws(WebSocketHandshakeError) -> String? {
        guard response.status == .switchingProtocols else { throw .refused(response.status) }
        let accepts = response.headers.values(of: .secWebSocketAccept)
        guard response.headers.tokens(of: .upgrade) == ["websocket"],
            response.headers.tokens(of: .connection).contains("upgrade"),
            accepts == [WebSocketHandshake.acceptValue(forKey: key)]
        else { throw .malformed }
        guard !response.headers.contains(.secWebSocketExtensions) else { throw .wrongExtension }
        let chosen = response.headers.values(of: .secWebSocketProtocol)
        if subprotocols.isEmpty, chosen.isEmpty { return nil }
        guard chosen.count == 1, subprotocols.contains(chosen[0]) else { throw .wrongSubprotocol }
        return chosen[0]
    }
}
