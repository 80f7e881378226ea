// Host names to which requests may be sent. An attacker's page can have its own host name resolve
// to this machine's address (DNS rebinding): the browser then treats our responses as that site's
// own. `Host` still contains the site's name, so unknown names are refused.

import ChatProtocol
import HTTPProtocol
import Networking

/// The server's names in `Host` (RFC 9110, section 7.2).
package struct HostNames {
    /// The value of the setting that allows all names.
    static let any = "*"

    private let names: Set<String>

    /// The names from the settings: localhost, the node's name, the host to listen on, the public
    /// URL's host, and the additional allowed hosts.
    package init(_ settings: ServerSettings) {
        let own = ["localhost", settings.nodeName, CertificateProbe.host(settings)]
        names = Set(own.compactMap { $0.map(Self.canonical) } + settings.allowedHosts)
    }

    /// Whether requests may be sent to `host`, a host with or without a port. IP addresses are
    /// allowed, since no resolver is involved; a missing host is allowed, as in HTTP/1.0, which no
    /// browser uses.
    package func contains(_ host: String?) -> Bool {
        guard let host, !names.contains(Self.any) else { return true }
        let name = Self.canonical(Self.withoutPort(host))
        return names.contains(name) || SocketAddress(host: name, port: 0) != nil
    }

    /// A name for comparison: in lower case, without the trailing dot.
    static func canonical(_ name: String) -> String {
        let name = name.lowercased()
        return name.hasSuffix(".") ? String(name.dropLast()) : name
    }

    private static func withoutPort(_ host: String) -> String {
        guard let colon = host.lastIndex(of: ":"), !host[colon...].contains("]") else {
            return host
        }
        return String(host[..<colon])
    }
}

extension HTTPRoute {
    /// Whether health probes use it, with any host name; its response contains no user data.
    var isForProbes: Bool { self == .liveness || self == .readiness }
}

extension Response {
    /// The error for a request to a host name that is not this server's.
    static func misdirected(to host: String) -> Response {
        Response(
            .misdirectedRequest,
            headers: [.contentType: "text/plain; charset=utf-8", .cacheControl: "no-store"],
            body: Array(
                "unknown host \(host): set --public-url, or add the name to --allowed-hosts\n".utf8
            )
        )
    }
}
