// Sends log messages to standard error, as text or as JSON.

import ChatServer
import Logging

enum LogSetup {
    /// The logger for these settings.
    static func logger(_ settings: ServerSettings) -> Logger {
        var logger = Logger(label: "stoa") { label -> any LogHandler in
            switch settings.logFormat {
            case .text: StreamLogHandler.standardError(label: label)
            case .json: JSONLogHandler()
            }
        }
        logger.logLevel = Logger.Level(rawValue: settings.logLevel.rawValue) ?? .info
        return logger
    }
}
