// The interactive terminal of `stoa chat`: the conversation above, the typed line below. Used on the loop.

import ChatClient
import ChatProtocol
import EventLoop
import Glibc
import TerminalText

/// Draws a conversation and edits a line.
final class ChatScreen {
    /// Time between two drawings while an answer grows: a slow line gets fewer, larger changes.
    private static let drawInterval = Duration.milliseconds(40)
    private static let prompt = Span("> ", Style([.bold]))

    /// Called at Ctrl-C.
    var onInterrupt: ((_ hadText: Bool) -> Void)?
    /// Called when the user begins or goes on to type a message.
    var onTyping: (() -> Void)?
    /// Completes the text before the cursor.
    var completions: ((String) -> TextCompletion)?

    private let loop: EventLoop
    private let keys: KeyReader
    private let mode = TerminalMode()
    private var editor: LineEditor
    private var screen: LiveScreen
    private var display: ChatDisplay?
    private var connection: String?
    /// Lines that were not written yet.
    private var pending: [StyledLine] = []
    private var drawTimer: TimerToken?
    private var submitted: [String] = []
    private var hasEnded = false
    private var waiter: LoopPromise<Void, Never>?

    init(_ loop: EventLoop, history: [String]) {
        self.loop = loop
        keys = KeyReader(loop)
        editor = LineEditor(history: history)
        let size = TerminalMode.size
        screen = LiveScreen(
            columns: size.columns,
            rows: size.rows,
            hasStyles: TerminalMode.hasStyles
        )
    }

    // MARK: Life

    /// Takes the terminal.
    func start() {
        mode.enter()
        keys.onKey = { [unowned self] in take($0) }
        keys.start()
        try? loop.onSignal(SIGWINCH) { [weak self] in self?.resize() }
        try? loop.onSignal(SIGCONT) { [weak self] in self?.resume() }
        draw()
    }

    /// Gives the terminal back.
    func stop() {
        drawTimer?.cancel()
        drawTimer = nil
        keys.stop()
        keys.onKey = nil
        flush()
        StandardStreams.write(screen.erase())
        mode.leave()
    }

    /// The next line that the user submits; nil at the end.
    func next() async -> String? {
        while submitted.isEmpty {
            if hasEnded || Task.isCancelled { return nil }
            let promise = LoopPromise<Void, Never>(loop)
            waiter = promise
            await promise.value { promise.succeed(()) }
        }
        return submitted.removeFirst()
    }

    private func resize() {
        let size = TerminalMode.size
        StandardStreams.write(screen.resize(columns: size.columns, rows: size.rows))
        display?.resize(width: size.columns)
        draw()
    }

    /// After the program was suspended.
    private func resume() {
        mode.leave()
        mode.enter()
        resize()
    }

    // MARK: The conversation

    /// Shows another conversation from now on.
    func open(user: UserID) {
        flush()
        display = ChatDisplay(user: user, width: screen.columns)
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

    /// Shows a message that the user has sent.
    func said(_ text: String, by name: String) {
        pending += display?.said(text, by: name) ?? []
        drawSoon()
    }

    func note(_ text: SafeText) {
        if display == nil { display = ChatDisplay(user: .make(), width: screen.columns) }
        pending += display?.note(text) ?? []
        drawSoon()
    }

    // MARK: Keys

    private func take(_ key: Key?) {
        guard let key else { return end() }
        let hadText = !editor.text.isEmpty
        switch editor.take(key) {
        case .none:
            if !editor.text.isEmpty, editor.text.first != "/" { onTyping?() }
        case .submit(let text): submit(text)
        case .interrupt: onInterrupt?(hadText)
        case .end: end()
        case .complete: complete()
        case .redraw:
            StandardStreams.write("\u{1B}[H\u{1B}[2J" as SafeText)
            _ = screen.erase()
        case .openEditor: openEditor()
        }
        if keys.onKey != nil { draw() }
    }

    private func submit(_ text: String) {
        submitted.append(text)
        wake()
    }

    private func end() {
        hasEnded = true
        wake()
    }

    private func wake() {
        waiter?.succeed(())
        waiter = nil
    }

    private func complete() {
        guard let completion = completions?(editor.beforeCursor) else { return }
        switch completion {
        case .none: break
        case .replace(let count, let text): editor.replace(last: count, with: text)
        case .choices(let words): note("\(words.joined(separator: "  "))")
        }
    }

    /// Edits the text in $VISUAL or $EDITOR, on another thread, so that the connection goes on.
    private func openEditor() {
        flush()
        StandardStreams.write(screen.erase())
        keys.stop()
        mode.leave()
        let text = String(editor.text)
        loop.spawn { [weak self] in
            let edited = await ExternalEditor.edit(text)
            guard let self, self.keys.onKey != nil else { return }
            if let edited { self.editor.set(edited) }
            self.mode.enter()
            self.keys.start()
            self.draw()
        }
    }

    // MARK: Drawing

    private func drawSoon() {
        guard drawTimer == nil else { return }
        drawTimer = loop.schedule(after: Self.drawInterval) { [weak self] in self?.draw() }
    }

    private func draw() {
        drawTimer?.cancel()
        drawTimer = nil
        let layout = PromptLayout(editor, prompt: Self.prompt, columns: screen.columns)
        var live = display?.live ?? []
        if let connection { live.append(StyledLine(connection, Style(color: .yellow))) }
        if let status = display?.status { live.append(status) }
        let start = live.count
        live += layout.lines
        let cursor = LiveScreen.Position(
            row: start + layout.cursor.row,
            column: layout.cursor.column
        )
        StandardStreams.write(screen.draw(final: pending, live: live, cursor: cursor))
        pending = []
    }

    /// Writes the lines that are final, without the live ones.
    private func flush() {
        let cursor = LiveScreen.Position(row: 0, column: 0)
        StandardStreams.write(screen.draw(final: pending, live: [], cursor: cursor))
        pending = []
    }
}

/// What completes a text.
package enum TextCompletion: Hashable, Sendable {
    case none
    /// Replace so many characters before the cursor.
    case replace(Int, String)
    /// Several are possible.
    case choices([String])
}
