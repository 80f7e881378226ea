// The settings of who reaches the server in which way, beside its address (a part of the one list), and
// where people then find it.

package import Networking

extension ServerSettings {
    /// What the server's host and port stand for; nil where it does not listen on them, or the host is
    /// no address.
    var hostAddress: SocketAddress? { SocketAddress(host: host, port: UInt16(port)) }

    /// Where somebody on this machine finds a server that listens at `address`. All addresses together
    /// (0.0.0.0 or ::) are nowhere to go to; localhost is one of them.
    /// - Returns: an origin; nil where browsers cannot go: to a Unix socket, or a port yet to be chosen.
    package func origin(listeningAt address: SocketAddress) -> String? {
        guard let port = address.port, port > 0 else { return nil }
        let place = address.isUnspecified ? "localhost:\(port)" : "\(address)"
        return "\(usesTLS ? "https" : "http")://\(place)"
    }

    /// What printed links begin with: the public URL, or where somebody on this machine finds the server.
    /// - Parameter address: where it listens; nil where nobody knows.
    /// - Returns: an origin; empty where there is none, so that a link begins with its path.
    package func linkOrigin(listeningAt address: SocketAddress?) -> String {
        publicURL ?? address.flatMap { origin(listeningAt: $0) } ?? ""
    }

    static let listening = [
        Setting(
            \.unixSocket,
            "unix-socket",
            .optionalText,
            placeholder: "PATH",
            "Path of a Unix socket to listen on in addition, without TLS"
        ),
        Setting(
            \.unixSocketMode,
            "unix-socket-mode",
            .fileMode,
            "Permissions of the Unix socket, octal"
        ),
        Setting(
            \.loopCount,
            "loops",
            .wholeNumber(1...64),
            "Number of event loop threads; with more than one, the first runs the chat logic"
                + " and the others network I/O and TLS"
        ),
        Setting(
            \.proxyProtocolFrom,
            "proxy-protocol-from",
            .addressRanges,
            "Proxies (10.0.0.0/8, ::1, or unix) that send the PROXY protocol, version 2; their"
                + " connections without a PROXY header are closed"
        ),
        Setting(
            \.forwardedHeader,
            "forwarded-header",
            .choice,
            "Header that trusted proxies use for the client's address"
        ),
        Setting(
            \.connectionMebibytes,
            "connection-mebibytes",
            .wholeNumber(16...1_048_576),
            "Memory limit for all connection buffers, in MiB; above it, the connections with"
                + " the largest buffers are closed"
        ),
    ]
}
