// Which names requests may be sent to. A page of an attacker's site can have its own name resolved to this
// machine's address (DNS rebinding): the browser then takes our answers for that site's own. It still says the
// site's name in `Host`, so names that are not ours are refused.

import ChatProtocol
import HTTPProtocol
import Networking

/// The names of a server, as `Host` says them (RFC 9110, section 7.2).
package struct HostNames {
    /// What stands in the setting for all names.
    static let any = "*"

    private let names: Set<String>

    /// The names that the settings give: localhost, the node's name, the host to listen on, that of the
    /// public URL, and those that are allowed besides.
    package init(_ settings: ServerSettings) {
        let own = ["localhost", settings.nodeName, CertificateProbe.host(settings)]
        names = Set(own.compactMap { $0.map(Self.canonical) } + settings.allowedHosts)
    }

    /// Whether requests may be sent to `host`, which is a host with or without a port. Any IP address may be
    /// named, as no resolver stands between an address and the machine that has it; and so may none, as in
    /// HTTP/1.0, which no browser speaks.
    package func contains(_ host: String?) -> Bool {
        guard let host, !names.contains(Self.any) else { return true }
        let name = Self.canonical(Self.withoutPort(host))
        return names.contains(name) || SocketAddress(host: name, port: 0) != nil
    }

    /// A name as names are compared: in small letters, without the root's dot.
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
    /// Whether probes ask for it, by whatever name they have for the server; it tells nothing of anybody.
    var isForProbes: Bool { self == .liveness || self == .readiness }
}

extension Response {
    /// The refusal of a request that was sent to a name which is not this server's.
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
