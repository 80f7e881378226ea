// Log level and format.

/// The severity of a log message; the names are those of swift-log.
public enum LogLevel: String, Sendable, Hashable, CaseIterable {
    case trace, debug, info, notice, warning, error, critical
}

/// The format of log lines.
public enum LogFormat: String, Sendable, Hashable, CaseIterable {
    /// Text for people.
    case text
    /// One JSON object per line.
    case json
}
