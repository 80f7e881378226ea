// The messages of the open conversation in lines, as a value. Each message is laid out once for a width;
// answers that grow, of which there may be several, are laid out from their last block on.

package import ChatClient
package import ChatProtocol
package import TerminalText

/// A conversation in a window of lines that can be scrolled.
package struct ThreadLines {
    /// Older notes are dropped.
    private static let noteCountMax = 200
    private static let dim = Style([.dim])

    private let user: UserID
    private let unread: Int
    private let showsThinking: Bool
    private var width: Int
    private var view: ConversationView?
    private var blocks: [MessageID: Block] = [:]
    private var phases: [MessageID: String] = [:]
    private var firstNew: MessageID?
    /// Messages that were typed here and are on their way.
    private var sent: [(name: String, text: String)] = []
    private var notes: [Note] = []
    /// The first shown line; nil for the end, which moves as lines come.
    private var top: Int?

    /// A note of the program, below the message that was the last one then.
    private struct Note {
        let after: MessageID?
        let text: String
    }

    /// A message in lines.
    private struct Block {
        var byteCount = 0
        var isFinal = false
        /// The lines that do not change any more.
        var lines: [StyledLine] = []
        var stream: AnswerStream
    }

    /// An empty thread.
    /// - Parameters:
    ///   - user: the reader.
    ///   - width: the width in columns.
    ///   - unread: how many messages of others are new.
    ///   - showsThinking: whether thinking parts of answers are shown.
    package init(user: UserID, width: Int, unread: Int = 0, showsThinking: Bool = true) {
        self.showsThinking = showsThinking
        self.user = user
        self.width = width
        self.unread = unread
    }

    /// Lays out for another width.
    package mutating func resize(width: Int) {
        guard width != self.width else { return }
        self.width = width
        top = nil
        blocks = [:]
        for message in view?.messages ?? [] { update(message) }
    }

    // MARK: Changes

    /// Takes the changes of a view.
    package mutating func show(_ changes: [ConversationView.Change], of view: ConversationView) {
        if self.view == nil {
            firstNew = ReadMark.firstNew(in: view.messages, for: user, unread: unread)
        }
        self.view = view
        for change in changes {
            switch change {
            case .queued(let id, _, _), .started(let id, _), .progressed(let id, _, _):
                phases[id] = AnswerPhase.text(for: change)
            case .created(let id): arrived(id, view)
            case .grew(let id, _), .ended(let id):
                phases[id] = nil
                if view.isShown(id), let message = view.message(id) { update(message) }
            case .restarted(let id):
                blocks[id] = nil
                if view.isShown(id), let message = view.message(id) { update(message) }
            case .removed(let ids): for id in ids { blocks[id] = nil }
            case .reloaded, .switched:
                for message in view.messages {
                    if blocks[message.id] == nil { arrived(message.id, view) }
                    update(message)
                }
            case .updated, .membersChanged, .siblings, .rated, .deleted: break
            }
        }
    }

    /// Shows a message that was typed here until it comes back.
    package mutating func said(_ text: String, by name: String) {
        sent.append((name, text))
        top = nil
    }

    /// Shows a message no longer, since it was not sent.
    package mutating func unsent(_ text: String) {
        if let place = sent.lastIndex(where: { $0.text == text }) { sent.remove(at: place) }
    }

    /// Shows a note at the end.
    package mutating func note(_ text: SafeText) {
        notes.append(Note(after: view?.messages.last?.id, text: text.text))
        if notes.count > Self.noteCountMax { notes.removeFirst() }
        top = nil
    }

    private mutating func arrived(_ id: MessageID, _ view: ConversationView) {
        guard let message = view.message(id) else { return }
        if message.author?.id == user,
            let place = sent.firstIndex(where: { $0.text == message.text })
        {
            sent.remove(at: place)
        }
        if view.isShown(id) { update(message) }
    }

    private mutating func update(_ message: Message) {
        let count = message.text.utf8.count
        let old = blocks.removeValue(forKey: message.id)
        var block = old ?? Block(stream: stream(of: message))
        if count < block.byteCount { block = Block(stream: stream(of: message)) }
        if !block.isFinal {
            if count > block.byteCount {
                let new = message.text.utf8.dropFirst(block.byteCount)
                block.lines += block.stream.append(String(decoding: new, as: UTF8.self))
                block.byteCount = count
            }
            block.isFinal = message.state.isFinal
            if block.isFinal { block.lines += block.stream.finish() }
        }
        blocks[message.id] = block
    }

    private func stream(of message: Message) -> AnswerStream {
        AnswerStream(width: width, showsThinking: showsThinking, of: message.role)
    }

    // MARK: Lines

    /// Moves the window.
    /// - Parameters:
    ///   - count: the lines, negative for up.
    ///   - height: the rows of the window.
    package mutating func scroll(by count: Int, height: Int) {
        let last = max(lineCount - height, 0)
        let next = min(max((top ?? last) + count, 0), last)
        top = next == last ? nil : next
    }

    /// Whether lines stand below the window.
    package var isScrolledUp: Bool { top != nil }

    /// The lines of the window.
    /// - Parameter height: the rows.
    /// - Returns: at most so many lines.
    package func window(height: Int) -> [StyledLine] {
        let parts = self.parts
        let total = parts.reduce(0) { $0 + $1.count }
        let last = max(total - height, 0)
        var skipped = min(top ?? last, last)
        var lines: [StyledLine] = []
        for part in parts where lines.count < height {
            if skipped >= part.count {
                skipped -= part.count
                continue
            }
            lines += part.dropFirst(skipped).prefix(height - lines.count)
            skipped = 0
        }
        return lines
    }

    private var lineCount: Int { parts.reduce(0) { $0 + $1.count } }

    /// All lines, in pieces that need not be copied.
    private var parts: [[StyledLine]] {
        var parts = notes(after: nil)
        for message in view?.messages ?? [] {
            if message.id == firstNew { parts.append([StyledLine(), ReadMark.line(width: width)]) }
            parts.append(head(of: message))
            if let block = blocks[message.id] {
                parts.append(block.lines)
                if !block.isFinal { parts.append(block.stream.open()) }
            }
            parts.append(ending(of: message))
            parts += notes(after: message.id)
        }
        for (name, text) in sent {
            var stream = MarkdownStream(width: width)
            parts.append([StyledLine(), StyledLine(name, Style([.bold, .dim]))])
            parts.append(stream.append(text) + stream.finish())
        }
        return parts
    }

    private func notes(after id: MessageID?) -> [[StyledLine]] {
        notes.filter { $0.after == id }.map { note in
            let lines = note.text.split(separator: "\n", omittingEmptySubsequences: false)
            return [StyledLine()]
                + lines.flatMap { Wrapping.lines([Span(String($0), Self.dim)], width: width) }
        }
    }

    private func head(of message: Message) -> [StyledLine] {
        var name = StyledLine()
        if message.role == .user {
            let isOwn = message.author?.id == user
            let author = message.author?.name ?? message.authorName ?? "someone"
            name.append(Span(author, Style([.bold], color: isOwn ? .blue : .cyan)))
        } else {
            name.append(Span(view?.conversation?.model ?? "phi", Style([.bold], color: .green)))
        }
        let siblings = view?.siblings(of: message.id) ?? []
        if siblings.count > 1, let place = siblings.firstIndex(of: message.id) {
            name.append(Span(" (\(place + 1) of \(siblings.count))", Self.dim))
        }
        return [StyledLine(), name]
    }

    private func ending(of message: Message) -> [StyledLine] {
        let text: String? =
            switch message.state {
            case .stopped: "(stopped)"
            case .failed: "(failed: \(message.error?.message ?? "engine failed"))"
            case _ where !message.state.isFinal && message.text.isEmpty:
                "⋯ \(phases[message.id] ?? "waiting")"
            default: message.usage.map { "(\(ChatTranscript.figures($0)))" }
            }
        return text.map { Wrapping.lines([Span($0, Self.dim)], width: width) } ?? []
    }
}
