// The terminal of `stoa tui`: a page of cells, drawn by differences. Used on the loop.

import ChatClient
import ChatProtocol
import EventLoop
import TerminalText

/// Draws a chat on the full screen.
final class FullScreenChat: ChatSurface {
    /// Time between two drawings while answers grow.
    private static let drawInterval = Duration.milliseconds(40)
    /// Lines for a turn of the wheel.
    private static let wheelLines = 3

    let keyboard: ChatKeyboard

    private let loop: EventLoop
    private let showsThinking: Bool
    private let output: TerminalOutput
    private var screen: FullScreen
    private var page: ChatPage
    private var thread: ThreadLines
    private var typing: [String] = []
    private var connection: String?
    private var drawTimer: TimerToken?
    /// Whether something has changed while the terminal was busy.
    private var mustDraw = false
    private var isStarted = false

    init(_ loop: EventLoop, history: [String], hasMouse: Bool, showsThinking: Bool) {
        self.loop = loop
        self.showsThinking = showsThinking
        let mode = TerminalMode(isFullScreen: true, hasMouse: hasMouse)
        keyboard = ChatKeyboard(loop, history: history, mode: mode)
        output = TerminalOutput(loop)
        screen = FullScreen(hasStyles: TerminalMode.hasStyles)
        let size = TerminalMode.size
        page = ChatPage(columns: size.columns, rows: size.rows)
        thread = ThreadLines(user: .make(), width: page.threadWidth)
    }

    // MARK: Life

    func start() {
        isStarted = true
        output.onFree = { [unowned self] in if mustDraw { drawSoon() } }
        keyboard.intercept = { [unowned self] in take($0) }
        keyboard.onChange = { [unowned self] in draw($0) }
        keyboard.onChoices = { [unowned self] in note("\($0.joined(separator: "  "))") }
        keyboard.onRelease = { [unowned self] in release() }
        keyboard.start()
        draw(.everything)
    }

    func stop() {
        isStarted = false
        release()
        keyboard.stop()
    }

    private func release() {
        drawTimer?.cancel()
        drawTimer = nil
        output.finish()
    }

    // MARK: The conversation

    func open(user: UserID, unread: Int) {
        thread = ThreadLines(
            user: user,
            width: page.threadWidth,
            unread: unread,
            showsThinking: showsThinking
        )
        typing = []
        drawSoon()
    }

    func show(_ changes: [ConversationView.Change], _ view: ConversationView) {
        thread.show(changes, of: view)
        page.open = view.id
        page.title = Self.title(of: view)
        drawSoon()
    }

    func show(typing names: [String]) {
        typing = names
        drawSoon()
    }

    func show(connection text: String?) {
        connection = text
        drawSoon()
    }

    func show(list: [Conversation]) {
        let selected = page.selected.map { page.list.indices.contains($0) ? page.list[$0].id : nil }
        page.list = list
        // The selection stays on its conversation.
        if let selected { page.selected = list.firstIndex { $0.id == selected } ?? 0 }
        if list.isEmpty { page.selected = nil }
        drawSoon()
    }

    func said(_ text: String, by name: String) {
        thread.said(text, by: name)
        drawSoon()
    }

    func unsent(_ text: String) {
        thread.unsent(text)
        drawSoon()
    }

    func note(_ text: SafeText) {
        thread.note(text)
        drawSoon()
    }

    /// For example "Tea — ada, bo — phi".
    private static func title(of view: ConversationView) -> String {
        guard let conversation = view.conversation else { return "" }
        let title = conversation.title.isEmpty ? "new conversation" : conversation.title
        let names = conversation.members.map(\.user.name).joined(separator: ", ")
        return [title, names, conversation.model].joined(separator: " — ")
    }

    // MARK: Keys

    /// Keys that move in the list and the thread.
    private func take(_ key: Key) -> Bool {
        let isHandled = page.selected == nil ? takeInComposer(key) : takeInList(key)
        if isHandled { draw() }
        return isHandled
    }

    private func takeInComposer(_ key: Key) -> Bool {
        let height = page.threadHeight(keyboard.editor)
        switch key {
        case .pageUp: thread.scroll(by: 1 - height, height: height)
        case .pageDown: thread.scroll(by: height - 1, height: height)
        case .wheel(let isUp):
            thread.scroll(by: isUp ? -Self.wheelLines : Self.wheelLines, height: height)
        case .click(let row, let column):
            if let id = page.conversation(row: row, column: column) { keyboard.submit(.openID(id)) }
        case .tab where keyboard.editor.text.isEmpty, .backTab: select()
        case .altUp, .altDown: select()
        default: return false
        }
        return true
    }

    private func select() {
        guard !page.list.isEmpty else { return }
        page.selected = page.list.firstIndex { $0.id == page.open } ?? 0
    }

    private func takeInList(_ key: Key) -> Bool {
        guard let selected = page.selected else { return false }
        let last = page.list.count - 1
        switch key {
        case .up, .altUp, .wheel(isUp: true), .control("p"): page.selected = max(selected - 1, 0)
        case .down, .altDown, .wheel(isUp: false), .control("n"):
            page.selected = min(selected + 1, last)
        case .pageUp: page.selected = max(selected - page.rows, 0)
        case .pageDown: page.selected = min(selected + page.rows, last)
        case .home: page.selected = 0
        case .end: page.selected = last
        case .enter, .right:
            keyboard.submit(.openID(page.list[selected].id))
            page.selected = nil
        case .click(let row, let column):
            if let id = page.conversation(row: row, column: column) { keyboard.submit(.openID(id)) }
            page.selected = nil
        case .escape, .tab, .backTab, .left: page.selected = nil
        case .character, .paste:
            // Typing goes on in the composer.
            page.selected = nil
            return false
        default: return false
        }
        return true
    }

    // MARK: Drawing

    private func draw(_ change: ChatKeyboard.Change) {
        if change != .text {
            let size = TerminalMode.size
            let old = page
            page = ChatPage(columns: size.columns, rows: size.rows)
            (page.list, page.open, page.selected, page.title) =
                (old.list, old.open, old.selected, old.title)
            thread.resize(width: page.threadWidth)
            screen.forget()
        }
        draw()
    }

    private func drawSoon() {
        guard drawTimer == nil, isStarted else { return }
        drawTimer = loop.schedule(after: Self.drawInterval) { [weak self] in self?.draw() }
    }

    private func draw() {
        drawTimer?.cancel()
        drawTimer = nil
        // A terminal that is behind gets the latest state when it has taken the drawing before.
        mustDraw = output.isBusy
        if mustDraw { return }
        page.status = status
        let drawing = page.grid(thread: thread, editor: keyboard.editor)
        output.write(screen.draw(drawing.grid, cursor: drawing.cursor))
    }

    private var status: StyledLine {
        if let connection { return StyledLine(connection, Style(color: .yellow)) }
        var parts: [String] = []
        if thread.isScrolledUp { parts.append("↓ more below") }
        if !typing.isEmpty {
            let verb = typing.count > 1 ? "are" : "is"
            parts.append("⋯ \(typing.joined(separator: ", ")) \(verb) typing")
        }
        if page.selected != nil { parts.append("Enter opens, Escape goes back") }
        return StyledLine(parts.joined(separator: " · "), Style([.dim]))
    }
}
