// An answer that grows on a terminal, as Markdown.

import EventLoop
import TerminalText

/// Draws one answer. Used on its event loop.
final class AnswerScreen {
    /// Time between two drawings: a slow line gets fewer, larger changes.
    private static let drawInterval = Duration.milliseconds(40)

    private let loop: EventLoop
    private let showsThinking: Bool
    private var stream: AnswerStream
    private var screen: LiveScreen
    private var pending: [StyledLine] = []
    private var timer: TimerToken?

    /// A screen, if standard output is a terminal that moves its cursor.
    init?(_ loop: EventLoop, showsThinking: Bool) {
        guard TerminalMode.canMove else { return nil }
        let size = TerminalMode.size
        self.loop = loop
        self.showsThinking = showsThinking
        stream = AnswerStream(width: size.columns, showsThinking: showsThinking)
        screen = LiveScreen(
            columns: size.columns,
            rows: size.rows,
            hasStyles: TerminalMode.hasStyles
        )
    }

    /// Adds text.
    func append(_ text: String) {
        pending += stream.append(text)
        guard timer == nil else { return }
        timer = loop.schedule(after: Self.drawInterval) { [weak self] in self?.draw() }
    }

    /// Begins again below.
    func restart() {
        pending += stream.finish()
        stream = AnswerStream(width: screen.columns, showsThinking: showsThinking)
    }

    /// Draws the rest; the cursor stands below it.
    func finish() {
        pending += stream.finish()
        draw()
    }

    private func draw() {
        timer?.cancel()
        timer = nil
        let live = stream.open()
        let last = LiveScreen.Position(row: max(live.count - 1, 0), column: live.last?.width ?? 0)
        StandardStreams.write(screen.draw(final: pending, live: live, cursor: last))
        pending = []
    }
}
