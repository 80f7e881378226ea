// What is typed in a chat: keys go to the editor, complete texts to the session. Used on the loop.

import EventLoop
import Glibc
import TerminalText

/// The keys of a terminal, a line editor, and the inputs that were submitted.
final class ChatKeyboard {
    /// What there is to draw.
    enum Change {
        /// The text that is typed.
        case text
        /// All, below what others have written, or in another size.
        case terminal
        /// All, on an empty screen.
        case everything
    }

    /// Who has the terminal.
    private enum State {
        case none
        case chat
        case editor
        /// The shell, until the program is continued.
        case shell
    }

    /// A shell that stops the program has done so within this time.
    private static let suspension = Duration.milliseconds(200)

    /// Called with each submitted text.
    var onSubmit: ((String) -> Void)?
    /// Called at Ctrl-C.
    var onInterrupt: ((_ hadText: Bool) -> Void)?
    /// Called when the user begins or goes on to type a message.
    var onTyping: (() -> Void)?
    /// Completes the text before the cursor.
    var completions: ((String) -> TextCompletion)?

    /// Sees each key first; true if it was for others than the editor.
    var intercept: ((Key) -> Bool)?
    /// Called to draw.
    var onChange: ((Change) -> Void)?
    /// Called with completions to choose from.
    var onChoices: (([String]) -> Void)?
    /// Called before the terminal is given to another program.
    var onRelease: (() -> Void)?

    /// The text that is typed.
    private(set) var editor: LineEditor

    private let loop: EventLoop
    private let keys: KeyReader
    private let mode: TerminalMode
    private var state = State.none
    private var submitted: [ChatInput] = []
    private var hasEnded = false
    private var waiter: LoopPromise<Void, Never>?

    init(_ loop: EventLoop, history: [String], mode: TerminalMode) {
        self.loop = loop
        self.mode = mode
        keys = KeyReader(loop)
        editor = LineEditor(history: history)
    }

    // MARK: Life

    /// Takes the terminal.
    func start() {
        mode.enter()
        state = .chat
        keys.onKey = { [unowned self] in take($0) }
        keys.start()
        try? loop.onSignal(SIGWINCH) { [weak self] in
            if self?.state == .chat { self?.onChange?(.terminal) }
        }
        try? loop.onSignal(SIGCONT) { [weak self] in self?.resume() }
    }

    /// Gives the terminal back; `onRelease` is not called.
    func stop() {
        keys.stop()
        keys.onKey = nil
        state = .none
        mode.leave()
    }

    /// The next input; nil at the end.
    func next() async -> ChatInput? {
        while submitted.isEmpty {
            if hasEnded || Task.isCancelled { return nil }
            let promise = LoopPromise<Void, Never>(loop)
            waiter = promise
            await promise.value { promise.succeed(()) }
        }
        return submitted.removeFirst()
    }

    /// Hands an input to the session, as if it were typed.
    func submit(_ input: ChatInput) {
        submitted.append(input)
        wake()
    }

    // MARK: Keys

    private func take(_ key: Key?) {
        guard let key else { return end() }
        if intercept?(key) == true { return }
        let hadText = !editor.text.isEmpty
        var change = Change.text
        switch editor.take(key) {
        case .none:
            if !editor.text.isEmpty, editor.text.first != "/" { onTyping?() }
        case .submit(let text):
            onSubmit?(text)
            submit(ChatInput(text))
        case .interrupt: onInterrupt?(hadText)
        case .end: end()
        case .complete: complete()
        case .redraw: change = .everything
        case .openEditor: openEditor()
        case .suspend: suspend()
        }
        if state == .chat { onChange?(change) }
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
        case .choices(let words): onChoices?(words)
        }
    }

    // MARK: Other programs in the terminal

    /// Edits the text in $VISUAL or $EDITOR, on another thread, so that the connection goes on.
    private func openEditor() {
        release(to: .editor)
        let text = String(editor.text)
        loop.spawn { [weak self] in
            let edited = await ExternalEditor.edit(text)
            guard let self, self.state == .editor else { return }
            if let edited { self.editor.set(edited) }
            self.takeAgain()
        }
    }

    /// Stops the program, as Ctrl-Z does. Without a shell that could continue it, the kernel ignores
    /// the signal, and the program goes on by itself.
    private func suspend() {
        release(to: .shell)
        kill(0, SIGTSTP)
        loop.schedule(after: Self.suspension) { [weak self] in
            if self?.state == .shell { self?.takeAgain() }
        }
    }

    /// After the program was stopped, by the user or by others.
    private func resume() {
        switch state {
        case .none, .editor: return
        case .chat: mode.leave()
        case .shell: break
        }
        takeAgain()
    }

    private func release(to other: State) {
        onRelease?()
        keys.stop()
        state = other
        mode.leave()
    }

    private func takeAgain() {
        mode.enter()
        state = .chat
        keys.start()
        onChange?(.terminal)
    }
}
