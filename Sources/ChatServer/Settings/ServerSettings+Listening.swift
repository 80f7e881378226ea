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
            "Unix socket to listen on as well, without TLS"
        ),
        Setting(
            \.unixSocketMode,
            "unix-socket-mode",
            .fileMode,
            "Permissions of that socket, in octal digits"
        ),
        Setting(
            \.loopCount,
            "loops",
            .wholeNumber(1...64),
            "Threads for connections; of several the first keeps the chat, the others sockets and TLS"
        ),
        Setting(
            \.proxyProtocolFrom,
            "proxy-protocol-from",
            .addressRanges,
            "Proxies, as 10.0.0.0/8, ::1 or unix, whose connections begin with a PROXY header"
                + " (version 2); one without it is closed"
        ),
        Setting(
            \.forwardedHeader,
            "forwarded-header",
            .choice,
            "Header in which trusted proxies say where a request comes from"
        ),
        Setting(
            \.connectionMebibytes,
            "connection-mebibytes",
            .wholeNumber(16...1_048_576),
            "MiB that all connections together may hold of what was not sent or not finished yet;"
                + " above it those that hold most are closed"
        ),
    ]
}
