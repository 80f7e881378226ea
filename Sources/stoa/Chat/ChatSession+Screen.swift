// The interactive terminal: who is typing, completions, Ctrl-C.

import ChatClient
import ChatProtocol
import EventLoop
import TerminalText

extension ChatSession {
    /// The server forgets who is typing after some seconds unless it is told again.
    private static let typingInterval = Duration.seconds(3)

    /// Takes the terminal, if it can move its cursor.
    func startScreen() {
        guard TerminalMode.canEdit, let client else { return }
        let lines = history?.lines ?? []
        let screen: any ChatSurface =
            switch options.style {
            case .lines: ChatScreen(loop, history: lines, showsThinking: options.showsThinking)
            case .fullScreen(let hasMouse):
                FullScreenChat(
                    loop,
                    history: lines,
                    hasMouse: hasMouse,
                    showsThinking: options.showsThinking
                )
            }
        self.screen = screen
        let list = client.followList()
        list.onChange = { [unowned self] _, view in self.screen?.show(list: view.conversations) }
        screen.keyboard.onInterrupt = { [unowned self] hadText in interrupt(hadText: hadText) }
        screen.keyboard.onTyping = { [unowned self] in announceTyping() }
        screen.keyboard.onSubmit = { [unowned self] in typed($0) }
        screen.keyboard.completions = { [unowned self] text in
            let titles = self.client?.followList().view.conversations.map(\.title) ?? []
            let models = self.client?.welcome?.models.map(\.name) ?? []
            return ChatCompletion(titles: titles, models: models).complete(text)
        }
        client.onEvent = { [unowned self] event in
            if case .typing(let typing) = event { noticed(typing) }
        }
        screen.start()
    }

    /// The next input of the terminal, or of standard input.
    func nextInput() async -> ChatInput? {
        guard let screen else { return await lines.next().map { ChatInput($0) } }
        return await screen.keyboard.next()
    }

    /// Remembers a typed text, and shows it if it is a command.
    private func typed(_ line: String) {
        history?.add(line)
        if line.hasPrefix("/"), !line.hasPrefix("//") { screen?.note("> \(line)") }
    }

    private func announceTyping() {
        guard let client, let follower else { return }
        if let announcedTyping, loop.now - announcedTyping < Self.typingInterval { return }
        announcedTyping = loop.now
        client.send(.typing, ConversationRequest(conversation: follower.view.id)) { _ in }
    }

    private func noticed(_ typing: Typing) {
        guard typing.conversation == follower?.view.id,
            typing.user.id != client?.welcome?.user.id
        else { return }
        self.typing[typing.user.name] = loop.now + .seconds(typing.seconds)
        showTyping()
        loop.schedule(after: .seconds(typing.seconds + 0.1)) { [weak self] in self?.showTyping() }
    }

    func showTyping() {
        typing = typing.filter { $0.value > loop.now }
        screen?.show(typing: typing.keys.sorted())
    }
}
