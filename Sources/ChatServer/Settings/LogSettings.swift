// What is logged, and how it looks.

/// How severe a log message is; the names are those of swift-log.
public enum LogLevel: String, Sendable, Hashable, CaseIterable {
    case trace, debug, info, notice, warning, error, critical
}

/// How log lines look.
public enum LogFormat: String, Sendable, Hashable, CaseIterable {
    /// For people.
    case text
    /// One JSON object a line.
    case json
}
