// The server side of the opening handshake, RFC 6455 section 4.2.

public import HTTPProtocol

extension HTTPHeaderName {
    static let secWebSocketAccept: Self = "Sec-WebSocket-Accept"
    static let secWebSocketExtensions: Self = "Sec-WebSocket-Extensions"
    static let secWebSocketKey: Self = "Sec-WebSocket-Key"
    static let secWebSocketProtocol: Self = "Sec-WebSocket-Protocol"
    static let secWebSocketVersion: Self = "Sec-WebSocket-Version"
}

/// An accepted handshake.
public struct WebSocketAcceptance: Sendable, Hashable {
    /// The 101 response. After it `HTTPServerConnection` returns `.upgrade`.
    public var response: HTTPResponseHead
    /// The negotiated subprotocol.
    public var subprotocol: String?
    /// The negotiated compression, for `WebSocketConnection`.
    public var compression: PerMessageDeflate?
}

/// The opening handshake on the server side.
public enum WebSocketHandshake {
    /// The GUID that RFC 6455 appends to the key before hashing.
    private static let keySuffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

    /// Whether `request` asks for a WebSocket. It may still be refused.
    public static func isUpgrade(_ request: HTTPRequestHead) -> Bool {
        request.headers.hasToken("websocket", in: .upgrade)
    }

    /// Accepts `request`. The caller must check the permission and the `Origin` before.
    ///
    /// `subprotocols` are in the server's order of preference; the first that the client offers is
    /// selected. If there is none the response has none, and the client fails the connection (RFC
    /// 6455 section 4.1).
    ///
    /// With `compression`, the first acceptable offer of the client is accepted.
    /// - Throws: why the request was refused, with the response to send.
    public static func accept(
        _ request: HTTPRequestHead,
        subprotocols: [String] = [],
        compression: PerMessageDeflate? = nil
    ) throws(WebSocketRefusal) -> WebSocketAcceptance {
        guard isUpgrade(request) else { throw .notAnUpgrade }
        guard request.method == .get, request.version == .http11,
            request.headers.hasToken("upgrade", in: .connection),
            // Two readers could disagree about the end of the content and the start of frames.
            !request.announcesContent
        else { throw .malformed }
        guard request.headers[.secWebSocketVersion] == "13" else { throw .unsupportedVersion }
        // Two keys would be joined by a comma, which no key has.
        guard let key = request.headers[.secWebSocketKey], Base64.isSixteenBytes(key) else {
            throw .malformed
        }
        guard let offers = WebSocketExtension.list(request.headers[.secWebSocketExtensions])
        else { throw .malformed }

        var response = HTTPResponseHead(
            .switchingProtocols,
            headers: [
                .upgrade: "websocket", .connection: "Upgrade",
                .secWebSocketAccept: acceptValue(forKey: key),
            ]
        )
        let offered =
            subprotocols.isEmpty ? [] : request.headers.listElements(of: .secWebSocketProtocol)
        let subprotocol = subprotocols.first(where: offered.contains)
        response.headers[.secWebSocketProtocol] = subprotocol
        let answer = compression?.answer(to: offers)
        response.headers[.secWebSocketExtensions] = answer?.response.text
        return WebSocketAcceptance(
            response: response,
            subprotocol: subprotocol,
            compression: answer?.agreed
        )
    }

    /// The `Sec-WebSocket-Accept` for `key`.
    static func acceptValue(forKey key: String) -> String {
        var message: [UInt8] = []
        message.reserveCapacity(64)
        message.append(text: key)
        message.append(text: keySuffix)
        return Base64.encode(SHA1.digest(of: message))
    }
}
