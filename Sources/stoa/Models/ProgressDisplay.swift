// A pull's progress on standard error: on a terminal one line that is rewritten, else a new line from
// time to time.

import Glibc
import ModelHub
import TerminalText

/// Shows the progress of one pull.
final class ProgressDisplay {
    private static let barWidth = 20
    /// Minimum time between lines if the output is not a terminal.
    private static let lineInterval = Duration.seconds(10)

    private let name: String
    private let isTerminal: Bool
    private let hasColor: Bool
    private var last: ContinuousClock.Instant?
    private var lastPhase: PullProgress.Phase?
    private var isLineOpen = false

    /// A display for the pull of `name`.
    init(
        name: String,
        isTerminal: Bool = isatty(STDERR_FILENO) == 1,
        hasColor: Bool = getenv("NO_COLOR") == nil
    ) {
        self.name = name
        self.isTerminal = isTerminal && getenv("TERM").map { String(cString: $0) } != "dumb"
        self.hasColor = hasColor
    }

    /// Shows the current progress.
    func show(_ progress: PullProgress, at now: ContinuousClock.Instant) {
        if let note = progress.note {
            end()
            return StandardStreams.printError("\(name): \(note)")
        }
        if isTerminal {
            // Overwrites the line and clears the rest of it.
            let line = ProgressLine.text(progress, barWidth: Self.barWidth)
            StandardStreams.writeError("\r\(colored(line))\u{1B}[K")
            isLineOpen = true
            return
        }
        let isNew = progress.phase != lastPhase && progress.phase != .downloading
        if let last, now - last < Self.lineInterval, !isNew { return }
        if case .finishing = progress.phase, lastPhase != nil { return }
        last = now
        lastPhase = progress.phase
        StandardStreams.printError("\(name): \(ProgressLine.text(progress, barWidth: 0))")
    }

    /// Moves the cursor below the progress line.
    func end() {
        if isLineOpen { StandardStreams.printError("") }
        isLineOpen = false
    }

    private func colored(_ line: String) -> SafeText {
        guard hasColor else { return "\(line)" }
        let filled = line.prefix { $0 == "█" }
        return "\u{1B}[32m\(filled)\u{1B}[0m\(line.dropFirst(filled.count))"
    }
}
