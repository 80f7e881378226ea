// The server's part of the opening handshake, RFC 6455 section 4.2, over HTTP heads.

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
    /// The 101 response. `HTTPServerConnection` yields `.upgrade` once it was sent.
    public var response: HTTPResponseHead
    /// The subprotocol that was agreed on.
    public var subprotocol: String?
    /// The compression that was agreed on, for `WebSocketConnection`.
    public var compression: PerMessageDeflate?
}

/// The opening handshake, as a server sees it.
public enum WebSocketHandshake {
    /// What RFC 6455 adds to the key before it is hashed.
    private static let keySuffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

    /// Whether `request` asks to become a WebSocket. It may still be refused.
    public static func isUpgrade(_ request: HTTPRequestHead) -> Bool {
        request.headers.tokens(of: .upgrade).contains("websocket")
    }

    /// Accepts `request`. Who may connect, and from which `Origin`, is to be decided before.
    ///
    /// Of `subprotocols`, which are in the server's order of preference, the first that the client
    /// offers is agreed on. Where there is none the response names none, and it is the client that
    /// gives up (RFC 6455 section 4.1).
    ///
    /// With `compression`, the first of the client's offers that goes with it is agreed on.
    /// - Throws: why the request can't be accepted, with the response that says so.
    public static func accept(
        _ request: HTTPRequestHead,
        subprotocols: [String] = [],
        compression: PerMessageDeflate? = nil
    ) throws(WebSocketRefusal) -> WebSocketAcceptance {
        guard isUpgrade(request) else { throw .notAnUpgrade }
        guard request.method == .get, request.version == .http11,
            request.headers.tokens(of: .connection).contains("upgrade"),
            // Where the content ends and frames begin, two readers could see in different places.
            !request.announcesContent
        else { throw .malformed }
        guard request.headers[.secWebSocketVersion] == "13" else { throw .unsupportedVersion }
        let keys = request.headers.values(of: .secWebSocketKey)
        guard keys.count == 1, Base64.isSixteenBytes(keys[0]) else { throw .malformed }
        guard let offers = WebSocketExtension.list(request.headers[.secWebSocketExtensions])
        else { throw .malformed }

        var response = HTTPResponseHead(
            .switchingProtocols,
            headers: [
                .upgrade: "websocket", .connection: "Upgrade",
                .secWebSocketAccept: acceptValue(forKey: keys[0]),
            ]
        )
        let offered = request.headers.listElements(of: .secWebSocketProtocol)
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

    /// The `Sec-WebSocket-Accept` that answers `key`.
    static func acceptValue(forKey key: String) -> String {
        Base64.encode(SHA1.digest(of: Array((key + keySuffix).utf8)))
    }
}
