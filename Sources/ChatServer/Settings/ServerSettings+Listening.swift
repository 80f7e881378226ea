// The settings of who reaches the server in which way, beside its address. A part of the one list.

extension ServerSettings {
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
