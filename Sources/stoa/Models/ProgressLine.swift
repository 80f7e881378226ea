// A pull's progress in one line of less than 80 columns.

package import ModelHub
import TerminalText

/// Formats progress lines.
package enum ProgressLine {
    /// Maximum length of free text, so that a line stays below 80 columns.
    private static let textLengthMax = 76

    /// The line for `progress`, with a bar of `barWidth` columns unless that is 0.
    package static func text(_ progress: PullProgress, barWidth: Int) -> String {
        switch progress.phase {
        case .listing: return "requesting the list of files"
        case .waiting(let delay, let reason):
            let seconds = Int((delay / .seconds(1)).rounded(.up))
            return shortened("waiting \(seconds) s: \(reason)")
        case .checking: return shortened("verifying \(progress.file ?? "")")
        case .finishing, .downloading, .done: break
        }
        var parts = [
            "\(Int(progress.fraction * 100)) %",
            "\(ByteCount(progress.bytesDone)) of \(ByteCount(progress.bytesTotal))",
        ]
        if progress.phase != .done {
            if let speed = progress.bytesPerSecond { parts.append("\(ByteCount(Int(speed)))/s") }
            if let seconds = progress.secondsLeft { parts.append("\(duration(seconds)) left") }
        }
        let bar = bar(progress.fraction, width: barWidth)
        return bar + parts.joined(separator: ", ")
    }

    private static func bar(_ fraction: Double, width: Int) -> String {
        guard width > 0 else { return "" }
        let filled = Int(min(max(fraction, 0), 1) * Double(width))
        return String(repeating: "█", count: filled)
            + String(repeating: "░", count: width - filled) + " "
    }

    /// "5 s", "3 min 20 s", "2 h 5 min".
    private static func duration(_ seconds: Double) -> String {
        guard seconds < 360_000 else { return "days" }
        let whole = Int(seconds.rounded(.up))
        if whole < 60 { return "\(whole) s" }
        if whole < 3600 { return "\(whole / 60) min \(whole % 60) s" }
        return "\(whole / 3600) h \(whole / 60 % 60) min"
    }

    private static func shortened(_ text: String) -> String {
        let shown = TerminalSanitizer.clean(text)
        return shown.count <= textLengthMax ? shown : "\(shown.prefix(textLengthMax - 1))…"
    }
}
