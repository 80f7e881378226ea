// The head of a request.

/// A request's method, target, version and fields.
public struct HTTPRequestHead: Sendable, Hashable {
    /// The method.
    public var method: HTTPMethod
    /// The path and query as sent, percent-encoded: "/a%20b?c=d"; or "*" for OPTIONS. The host of a
    /// target in absolute form is moved to `Host` when it is read.
    public var target: String
    /// The client's version.
    public var version: HTTPVersion
    /// The fields.
    public var headers: HTTPHeaders

    /// Creates an HTTP/1.1 request for a client. Invalid bytes in `target` (path and query) are
    /// percent-encoded when it is sent. `host` is name and port as in the URL.
    public init(
        _ method: HTTPMethod,
        _ target: String,
        host: String,
        headers: HTTPHeaders = HTTPHeaders()
    ) {
        var withHost = HTTPHeaders()
        withHost.add(.host, host)
        for field in headers.fields where field.name != .host {
            withHost.add(field.name, field.value)
        }
        self.init(method: method, target: target, version: .http11, headers: withHost)
    }

    /// Creates a head.
    public init(method: HTTPMethod, target: String, version: HTTPVersion, headers: HTTPHeaders) {
        self.method = method
        self.target = target
        self.version = version
        self.headers = headers
    }

    /// The target up to the question mark, still percent-encoded.
    public var path: Substring {
        Substring(target.utf8.prefix { $0 != UInt8(ascii: "?") })
    }

    /// The target after the question mark, still percent-encoded; nil if there is none.
    public var query: Substring? {
        guard let mark = target.utf8.firstIndex(of: UInt8(ascii: "?")) else { return nil }
        return target[target.index(after: mark)...]
    }

    /// Whether the fields announce a body: a transfer coding, or a length other than 0.
    public var announcesContent: Bool {
        headers.contains(.transferEncoding)
            || headers.values(of: .contentLength).contains { length in
                !length.utf8.allSatisfy { $0 == UInt8(ascii: "0") }
            }
    }

    /// Whether the client waits for 100 Continue before it sends the body.
    public var expectsContinue: Bool {
        version == .http11 && headers.hasToken("100-continue", in: .expect)
    }

    /// Whether all of the client's expectations are supported. Those of an HTTP/1.0 client are
    /// ignored, since it may have forwarded a field that it does not understand (RFC 9110 section
    /// 10.1.1).
    var hasKnownExpectation: Bool {
        version == .http10 || !headers.contains(.expect)
            || headers.tokens(of: .expect).allSatisfy { $0 == "100-continue" }
    }

    /// Whether the client wants to keep the connection open.
    public var wantsKeepAlive: Bool {
        if headers.hasToken("close", in: .connection) { return false }
        return version == .http11 || headers.hasToken("keep-alive", in: .connection)
    }
}
