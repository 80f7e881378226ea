// Settings of metrics, traces and the log (a part of the one list).

extension ServerSettings {
    static let observing = [
        Setting(
            \.metricsToken,
            "metrics-token",
            .optionalText,
            defaultText: "nobody may",
            isSecret: true,
            "Bearer token for /metrics; at least 16 characters"
        ),
        Setting(
            \.tracesEndpoint,
            "traces-endpoint",
            .optionalText,
            placeholder: "URL",
            defaultText: "no traces",
            "Collector for traces, by OTLP/HTTP, such as http://127.0.0.1:4318/v1/traces"
        ),
        Setting(
            \.tracesRatio,
            "traces-ratio",
            .number(0...1),
            "Share of requests that are traced, unless a trusted caller decides"
        ),
        Setting(
            \.tracesFrom,
            "traces-from",
            .addressRanges,
            "Addresses of trusted callers, whose traces (header traceparent) are continued,"
                + " comma-separated; the traces of others are only named"
        ),
        Setting(
            \.tracesHeadersFile,
            "traces-headers-file",
            .optionalText,
            placeholder: "FILE",
            "File of header fields for the collector, one `Name: value` a line"
        ),
        Setting(
            \.slowLogLimit,
            "slow-log-milliseconds",
            .milliseconds(0...3_600_000),
            "Minimum duration of operations and statements that are logged as slow, in"
                + " milliseconds; 0 disables that"
        ),
        Setting(\.logLevel, "log-level", .choice, "Minimum level of log messages"),
        Setting(\.logFormat, "log-format", .choice, "Log format: text for people, or JSON objects"),
    ]
}
