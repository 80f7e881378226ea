// Log messages as JSON, one object per line.

import ChatProtocol
import Logging
import TerminalText

/// Writes each message to standard error as a JSON object.
struct JSONLogHandler: LogHandler {
    var logLevel = Logger.Level.info
    var metadata: Logger.Metadata = [:]

    /// One line.
    private struct Line: Encodable {
        let time: Timestamp
        let level: String
        let message: String
        let source: String
        let metadata: [String: String]
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { $1 }
        let line = Line(
            time: .now,
            level: event.level.rawValue,
            message: "\(event.message)",
            source: event.source,
            metadata: all.mapValues { "\($0)" }
        )
        let text = SafeJSON.escaped(WireEncoding.text(line))
        StandardStreams.printError(SafeText(ours: String(decoding: text, as: UTF8.self)))
    }
}
