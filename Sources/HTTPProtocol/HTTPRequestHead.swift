// A request without its body: what routes look at.

/// A request's method, target, version and fields.
public struct HTTPRequestHead: Sendable, Hashable {
    /// The method.
    public var method: HTTPMethod
    /// The path and query as they were sent, still percent-encoded: "/a%20b?c=d". Also "*", for
    /// OPTIONS. A target with scheme and host is split when it is read: its host becomes `Host`.
    public var target: String
    /// The version that the client speaks.
    public var version: HTTPVersion
    /// The fields.
    public var headers: HTTPHeaders

    /// A request of HTTP/1.1, for a client to send. Of `target`, path and query, bytes that can't
    /// stand there are percent-encoded when it is sent. `host` is name and port as in the URL.
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

    /// A head of just these parts.
    public init(method: HTTPMethod, target: String, version: HTTPVersion, headers: HTTPHeaders) {
        self.method = method
        self.target = target
        self.version = version
        self.headers = headers
    }

    /// The target up to the question mark, still percent-encoded.
    public var path: Substring {
        target.prefix { $0 != "?" }
    }

    /// The target after the question mark, still percent-encoded; nil where there is none.
    public var query: Substring? {
        guard let mark = target.firstIndex(of: "?") else { return nil }
        return target[target.index(after: mark)...]
    }

    /// Whether content follows, as far as the fields say: a transfer coding, or a length other than 0.
    public var announcesContent: Bool {
        headers.contains(.transferEncoding)
            || headers.values(of: .contentLength).contains { length in
                !length.utf8.allSatisfy { $0 == UInt8(ascii: "0") }
            }
    }

    /// Whether the client waits for 100 Continue before it sends the body.
    public var expectsContinue: Bool {
        version == .http11 && headers.tokens(of: .expect).contains("100-continue")
    }

    /// Whether the client expects nothing that a server may not know. Of a client of HTTP/1.0, which
    /// may have passed on what it does not understand, expectations are ignored (RFC 9110 section
    /// 10.1.1).
    var hasKnownExpectation: Bool {
        version == .http10 || headers.tokens(of: .expect).allSatisfy { $0 == "100-continue" }
    }

    /// Whether the client means to send another request after this one.
    public var wantsKeepAlive: Bool {
        let tokens = headers.tokens(of: .connection)
        if tokens.contains("close") { return false }
        return version == .http11 || tokens.contains("keep-alive")
    }
}
