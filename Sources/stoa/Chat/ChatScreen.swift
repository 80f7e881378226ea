// The interactive terminal of `stoa chat`: the conversation above, the typed line below. Used on the loop.

import ChatClient
import ChatProtocol
import EventLoop
import Glibc
import TerminalText

/// Draws a conversation and edits a line.
final class ChatScreen: ChatSurface {
    /// Time between two drawings while an answer grows: a slow line gets fewer, larger changes.
    private static let drawInterval = Duration.milliseconds(40)
    private static let prompt = Span("> ", Style([.bold]))

    let keyboard: ChatKeyboard

    private let loop: EventLoop
    private let showsThinking: Bool
    private let output: TerminalOutput
    private var screen: LiveScreen
    private var display: ChatDisplay?
    private var connection: String?
    /// Lines that were not written yet.
    private var pending: [StyledLine] = []
    private var drawTimer: TimerToken?
    /// Whether something has changed while the terminal was busy.
    private var mustDraw = false

    init(_ loop: EventLoop, history: [String], showsThinking: Bool) {
        self.loop = loop
        self.showsThinking = showsThinking
        keyboard = ChatKeyboard(loop, history: history, mode: TerminalMode())
        output = TerminalOutput(loop)
        let size = TerminalMode.size
        screen = LiveScreen(
            columns: size.columns,
            rows: size.rows,
            hasStyles: TerminalMode.hasStyles
        )
    }

    // MARK: Life

    func start() {
        output.onFree = { [unowned self] in if mustDraw { drawSoon() } }
        keyboard.onChange = { [unowned self] in draw($0) }
        keyboard.onChoices = { [unowned self] in note("\($0.joined(separator: "  "))") }
        keyboard.onRelease = { [unowned self] in release() }
        keyboard.start()
        draw()
    }

    func stop() {
        release()
        keyboard.stop()
    }

    private func release() {
        drawTimer?.cancel()
        drawTimer = nil
        flush()
        output.write(screen.erase())
        output.finish()
    }

    private func draw(_ change: ChatKeyboard.Change) {
        switch change {
        case .text: break
        case .terminal:
            let size = TerminalMode.size
            output.write(screen.resize(columns: size.columns, rows: size.rows))
            display?.resize(width: size.columns)
        case .everything:
            output.write("\u{1B}[H\u{1B}[2J")
            _ = screen.erase()
        }
        draw()
    }

    // MARK: The conversation

    func open(user: UserID, unread: Int) {
        flush()
        display = ChatDisplay(
            user: user,
            width: screen.columns,
            unread: unread,
            showsThinking: showsThinking
        )
    }

    func show(_ changes: [ConversationView.Change], _ view: ConversationView) {
        pending += display?.show(changes, of: view) ?? []
        drawSoon()
    }

    func show(typing names: [String]) {
        display?.show(typing: names)
        drawSoon()
    }

    func show(connection text: String?) {
        connection = text
        drawSoon()
    }

    func said(_ text: String, by name: String) {
        pending += display?.said(text, by: name) ?? []
        drawSoon()
    }

    /// What was written stays, and a note follows.
    func unsent(_ text: String) {}

    /// The list is shown by `/list`.
    func show(list: [Conversation]) {}

    func note(_ text: SafeText) {
        if display == nil { display = ChatDisplay(user: .make(), width: screen.columns) }
        pending += display?.note(text) ?? []
        drawSoon()
    }

    // MARK: Drawing

    private func drawSoon() {
        guard drawTimer == nil else { return }
        drawTimer = loop.schedule(after: Self.drawInterval) { [weak self] in self?.draw() }
    }

    private func draw() {
        drawTimer?.cancel()
        drawTimer = nil
        // A terminal that is behind gets one drawing of all that has changed until then.
        mustDraw = output.isBusy
        if mustDraw { return }
        let layout = PromptLayout(keyboard.editor, prompt: Self.prompt, columns: screen.columns)
        var live = display?.live ?? []
        if let connection { live.append(StyledLine(connection, Style(color: .yellow))) }
        if let status = display?.status { live.append(status) }
        let start = live.count
        live += layout.lines
        let cursor = LiveScreen.Position(
            row: start + layout.cursor.row,
            column: layout.cursor.column
        )
        output.write(screen.draw(final: pending, live: live, cursor: cursor))
        pending = []
    }

    /// Writes the lines that are final, without the live ones.
    private func flush() {
        let cursor = LiveScreen.Position(row: 0, column: 0)
        output.write(screen.draw(final: pending, live: [], cursor: cursor))
        pending = []
    }
}
