// A conversation for an interactive terminal, as a value: changes in, lines out. Lines that do not change
// any more are given out once; the answer that grows and what waits for its end are live.

package import ChatClient
package import ChatProtocol
package import TerminalText

/// The lines of one open conversation.
package struct ChatDisplay {
    /// How many messages to show when a conversation is opened.
    private static let openingCount = 20
    private static let note = Style([.dim])

    private let user: UserID
    /// How many messages of others were new when the conversation was opened.
    private let unread: Int
    private let showsThinking: Bool
    private var width: Int
    private var growing: Growing?
    private var shown: Set<MessageID> = []
    /// The branch on the screen.
    private var branch: [MessageID] = []
    private var isOpen = false
    private var title = ""
    private var systemPrompt: String?
    /// Lines that follow the answer that grows.
    private var held: [StyledLine] = []
    /// Messages that were typed here and are shown already.
    private var expected: [String] = []
    /// What the answer waits for; nil for nothing.
    private var waiting: (id: MessageID, text: String)?
    private var typing: [String] = []

    /// The answer at the end of the lines.
    private struct Growing {
        let id: MessageID
        var byteCount = 0
        var stream: AnswerStream
    }

    /// An empty display for a user.
    /// - Parameters:
    ///   - user: the reader.
    ///   - width: the width in columns.
    ///   - unread: how many messages of others are new; a line stands above the first of them.
    ///   - showsThinking: whether thinking parts of answers are shown.
    package init(user: UserID, width: Int, unread: Int = 0, showsThinking: Bool = true) {
        self.showsThinking = showsThinking
        self.user = user
        self.unread = unread
        self.width = width
    }

    /// Lays out for another width from now on.
    package mutating func resize(width: Int) {
        self.width = width
        growing?.stream.resize(width: width)
    }

    // MARK: The live part

    /// Lines that may change: the rest of the answer that grows, and what follows it.
    package var live: [StyledLine] {
        (growing?.stream.open() ?? []) + held
    }

    /// What goes on: the queue, the prompt, who is typing; nil for nothing.
    package var status: StyledLine? {
        var parts: [String] = []
        if let waiting { parts.append(waiting.text) }
        if !typing.isEmpty {
            parts.append(
                "\(typing.joined(separator: ", ")) \(typing.count > 1 ? "are" : "is") typing"
            )
        }
        let text = ColumnWidth.prefix(parts.joined(separator: " · "), columns: max(width - 2, 1))
        return parts.isEmpty ? nil : StyledLine("⋯ \(text)", Self.note)
    }

    /// Shows who is typing.
    package mutating func show(typing names: [String]) {
        typing = names.map { TerminalSanitizer.clean($0) }
    }

    // MARK: Lines

    /// The lines of a message that was typed here, which is on its way.
    package mutating func said(_ text: String, by name: String) -> [StyledLine] {
        expected.append(text)
        if expected.count > 100 { expected.removeFirst() }
        return whenIdle(message(name, .blue, text))
    }

    /// The lines of a note of the program.
    package mutating func note(_ text: SafeText) -> [StyledLine] {
        let lines = text.text.split(separator: "\n", omittingEmptySubsequences: false)
        return whenIdle(lines.flatMap { Wrapping.lines([Span(String($0))], width: width) })
    }

    /// The lines for changes.
    package mutating func show(
        _ changes: [ConversationView.Change],
        of view: ConversationView
    ) -> [StyledLine] {
        var lines: [StyledLine] = []
        for change in changes { lines += show(change, of: view) }
        branch = view.messages.map(\.id)
        return lines
    }

    private mutating func show(
        _ change: ConversationView.Change,
        of view: ConversationView
    ) -> [StyledLine] {
        switch change {
        case .reloaded: return reload(view)
        case .switched: return switchBranch(view)
        case .updated: return updated(view)
        case .membersChanged: return hint("(members: \(members(of: view)))")
        case .deleted: return hint("(this conversation was deleted)")
        case .removed(let ids):
            guard ids.contains(where: { branch.contains($0) }) else { return [] }
            let end = growing.map { ids.contains($0.id) } == true ? finish(view) : []
            return end + hint("(deleted from here on)")
        case .siblings, .rated: return []
        case .created(let id), .queued(let id, _, _), .started(let id, _), .grew(let id, _),
            .restarted(let id), .ended(let id), .progressed(let id, _, _):
            // Changes on other branches are not shown; a new branch is shown as a whole.
            let isHere = view.isShown(id) && branch.last.map { view.isShown($0) } != false
            return isHere ? show(change, at: id, of: view) : []
        }
    }

    private mutating func show(
        _ change: ConversationView.Change,
        at id: MessageID,
        of view: ConversationView
    ) -> [StyledLine] {
        switch change {
        case .created: return created(id, view)
        case .queued, .progressed:
            if let text = AnswerPhase.text(for: change) { waiting = (id, text) }
        case .started(_, let dropped):
            if let text = AnswerPhase.text(for: change) { waiting = (id, text) }
            if dropped > 0 { return hint("(the oldest \(dropped) messages no longer fit)") }
        case .grew: return grow(id, view)
        case .restarted: return restart(id)
        case .ended: return end(id, view)
        default: break
        }
        return []
    }

    // MARK: Messages

    private mutating func reload(_ view: ConversationView) -> [StyledLine] {
        var lines: [StyledLine] = []
        var firstNew: MessageID?
        remember(view)
        if !isOpen {
            isOpen = true
            lines += hint("— \(title) (\(members(of: view))) —")
            let older = view.messages.dropLast(Self.openingCount)
            shown.formUnion(older.filter(\.state.isFinal).map(\.id))
            firstNew = ReadMark.firstNew(in: view.messages, for: user, unread: unread)
        }
        for message in view.messages where !shown.contains(message.id) {
            if message.id == firstNew { lines += [StyledLine(), ReadMark.line(width: width)] }
            lines += write(message, view)
        }
        return lines
    }

    private mutating func write(_ message: Message, _ view: ConversationView) -> [StyledLine] {
        if message.role == .user { return created(message.id, view) }
        if message.state.isFinal { return end(message.id, view) }
        return message.text.isEmpty ? [] : grow(message.id, view)
    }

    /// Shows another branch from where it differs from the one on the screen.
    private mutating func switchBranch(_ view: ConversationView) -> [StyledLine] {
        let messages = view.messages
        let common = zip(messages, branch).prefix { $0.id == $1 }.count
        // Only older messages were added above, or the last ones removed.
        guard common < messages.count,
            !messages.suffix(branch.count).map(\.id).elementsEqual(branch)
        else { return [] }
        var lines = finish(view)
        let siblings = view.siblings(of: messages[common].id)
        if let place = siblings.firstIndex(of: messages[common].id), siblings.count > 1 {
            lines += hint("(version \(place + 1) of \(siblings.count))")
        }
        for message in messages[common...] {
            shown.remove(message.id)
            lines += write(message, view)
        }
        return lines
    }

    private mutating func created(_ id: MessageID, _ view: ConversationView) -> [StyledLine] {
        guard let message = view.message(id), message.role == .user, shown.insert(id).inserted
        else { return [] }
        let isOwn = message.author?.id == user
        if isOwn, let place = expected.firstIndex(of: message.text) {
            expected.remove(at: place)
            return []
        }
        let name = message.author?.name ?? message.authorName ?? "someone"
        return whenIdle(self.message(name, isOwn ? .blue : .cyan, message.text))
    }

    private func message(_ name: String, _ color: Style.Color, _ text: String) -> [StyledLine] {
        var stream = MarkdownStream(width: width)
        return head(name, color) + stream.append(text) + stream.finish()
    }

    private func head(_ name: String, _ color: Style.Color) -> [StyledLine] {
        [StyledLine(), StyledLine(name, Style([.bold], color: color))]
    }

    private var answerStream: AnswerStream {
        AnswerStream(width: width, showsThinking: showsThinking)
    }

    private mutating func grow(_ id: MessageID, _ view: ConversationView) -> [StyledLine] {
        guard let message = view.message(id), growing == nil || growing?.id == id else { return [] }
        if waiting?.id == id { waiting = nil }
        var lines: [StyledLine] = []
        if growing == nil {
            growing = Growing(id: id, stream: answerStream)
            lines += head(view.conversation?.model ?? "phi", .green)
        }
        guard var answer = growing else { return lines }
        let new = message.text.utf8.dropFirst(answer.byteCount)
        answer.byteCount = message.text.utf8.count
        // The stream moves, so that appending does not copy it.
        growing = nil
        lines += answer.stream.append(String(decoding: new, as: UTF8.self))
        growing = answer
        return lines
    }

    private mutating func restart(_ id: MessageID) -> [StyledLine] {
        guard growing?.id == id, var old = growing?.stream else { return [] }
        growing = Growing(id: id, stream: answerStream)
        return old.finish() + [StyledLine("(the answer restarts)", Self.note)]
    }

    private mutating func end(_ id: MessageID, _ view: ConversationView) -> [StyledLine] {
        guard let message = view.message(id), shown.insert(id).inserted else { return [] }
        if waiting?.id == id { waiting = nil }
        if let current = growing, current.id != id {
            // Another answer stands at the end: this one follows it.
            var stream = answerStream
            held += head(view.conversation?.model ?? "phi", .green)
            held += stream.append(message.text) + stream.finish()
            held += ending(of: message)
            return []
        }
        var lines = message.text.isEmpty && growing?.id != id ? [] : grow(id, view)
        if growing?.id == id, var answer = growing {
            lines += answer.stream.finish()
            growing = answer
        }
        held = ending(of: message) + held
        return lines + finish(view)
    }

    /// Ends the answer that grows; the next unfinished one takes its place.
    private mutating func finish(_ view: ConversationView) -> [StyledLine] {
        var lines: [StyledLine] = []
        if var answer = growing { lines += answer.stream.finish() }
        growing = nil
        lines += held
        held = []
        if let next = view.unfinishedAnswers.first(where: { !$0.text.isEmpty }) {
            lines += grow(next.id, view)
        }
        return lines
    }

    private func ending(of message: Message) -> [StyledLine] {
        let text: String? =
            switch message.state {
            case .stopped: "(stopped)"
            case .failed: "(failed: \(message.error?.message ?? "engine failed"))"
            default: message.usage.map { "(\(ChatTranscript.figures($0)))" }
            }
        return text.map { Wrapping.lines([Span($0, Self.note)], width: width) } ?? []
    }

    // MARK: Notes

    private mutating func updated(_ view: ConversationView) -> [StyledLine] {
        var lines: [StyledLine] = []
        let (oldTitle, oldPrompt) = (title, systemPrompt)
        remember(view)
        if title != oldTitle { lines += hint("(title: \(title))") }
        if let systemPrompt, systemPrompt != oldPrompt {
            lines += hint("(system prompt: \(systemPrompt))")
        }
        return lines
    }

    private mutating func remember(_ view: ConversationView) {
        let name = view.conversation?.title ?? ""
        title = name.isEmpty ? "new conversation" : name
        systemPrompt = view.conversation?.systemPrompt
    }

    private mutating func hint(_ text: String) -> [StyledLine] {
        whenIdle(Wrapping.lines([Span(text, Self.note)], width: width))
    }

    /// Lines that must not interrupt an answer.
    private mutating func whenIdle(_ lines: [StyledLine]) -> [StyledLine] {
        guard growing != nil else { return lines }
        held += lines
        return []
    }

    private func members(of view: ConversationView) -> String {
        (view.conversation?.members.map(\.user.name) ?? []).joined(separator: ", ")
    }
}
