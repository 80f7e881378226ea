// Settings of how clients reach the server, except its address (a part of the one list), and the
// URLs that follow from them.

package import Networking

extension ServerSettings {
    /// The address of the host and port to listen on; nil if the server does not listen on them, or
    /// the host is not an address.
    var hostAddress: SocketAddress? { SocketAddress(host: host, port: UInt16(port)) }

    /// The URL for users on this machine of a server that listens at `address`. Wildcard addresses
    /// (0.0.0.0 or ::) become localhost.
    /// - Returns: an origin; nil for a Unix socket, or a port that is not chosen yet.
    package func origin(listeningAt address: SocketAddress) -> String? {
        guard let port = address.port, port > 0 else { return nil }
        let place = address.isUnspecified ? "localhost:\(port)" : "\(address)"
        return "\(usesTLS ? "https" : "http")://\(place)"
    }

    /// The start of printed links: the public URL, or the URL for users on this machine.
    /// - Parameter address: the listening address; nil if unknown.
    /// - Returns: an origin; empty if there is none, so that links begin with their path.
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
            \.ioUring,
            "io-uring",
            .choice,
            "Whether to send to many clients at once by io_uring, if the system permits it"
        ),
        Setting(
            \.proxyProtocolFrom,
            "proxy-protocol-from",
            .addressRanges,
            "Proxies (10.0.0.0/8, ::1, or unix) that send the PROXY protocol, version 1 or"
                + " 2; their connections without a PROXY header are closed"
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
