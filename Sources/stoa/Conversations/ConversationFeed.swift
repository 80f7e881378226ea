// Turns the changes of a conversation's view into lines, each once, as a value. A reader that stopped
// goes on from a message and a byte of its text.

package import ChatClient
package import ChatProtocol

/// The lines of one conversation. All text of an answer is in its deltas, in order and without gaps.
package struct ConversationFeed {
    /// Bytes of each answer that have been in a delta.
    private var offsets: [MessageID: Int] = [:]
    /// Messages that need no line any more.
    private var done: Set<MessageID> = []

    /// A feed that has shown nothing.
    package init() {}

    /// Skips messages that the reader has.
    package mutating func skip(_ messages: some Sequence<Message>) {
        for message in messages where message.state.isFinal {
            done.insert(message.id)
            offsets[message.id] = message.text.utf8.count
        }
    }

    /// Skips the text of an answer before a byte.
    package mutating func skip(_ id: MessageID, before offset: Int) {
        offsets[id] = offset
    }

    /// The lines for changes.
    package mutating func lines(
        for changes: [ConversationView.Change],
        of view: ConversationView
    ) -> [ConversationLine] {
        changes.flatMap { lines(for: $0, of: view) }
    }

    private mutating func lines(
        for change: ConversationView.Change,
        of view: ConversationView
    ) -> [ConversationLine] {
        switch change {
        case .reloaded, .switched: return lines(of: view.messages)
        case .created(let id), .grew(let id, _), .ended(let id), .started(let id, _):
            // Other branches are not followed.
            guard view.isShown(id), let message = view.message(id) else { return [] }
            return lines(of: [message])
        case .queued(let id, let position, let eta):
            return [.queued(id, position: position, eta: eta)]
        case .progressed(let id, let done, let total):
            return [.progress(id, done: done, total: total)]
        case .restarted(let id):
            guard let offset = offsets[id], offset > 0 else { return [] }
            offsets[id] = 0
            return [.restarted(id, at: 0)]
        case .removed(let ids): return [.deleted(ids)]
        case .siblings, .rated, .updated, .membersChanged, .deleted: return []
        }
    }

    /// The lines that bring a reader to the state of these messages.
    package mutating func lines(of messages: some Sequence<Message>) -> [ConversationLine] {
        messages.flatMap { message in lines(of: message) }
    }

    private mutating func lines(of message: Message) -> [ConversationLine] {
        guard !done.contains(message.id) else { return [] }
        if message.role == .user {
            done.insert(message.id)
            return [.created(message)]
        }
        var lines: [ConversationLine] = []
        var offset = offsets[message.id] ?? 0
        if offsets[message.id] == nil {
            var created = message
            created.text = ""
            lines.append(.created(created))
        }
        let text = message.text.utf8
        if offset > text.count {
            lines.append(.restarted(message.id, at: 0))
            offset = 0
        }
        if offset < text.count {
            let new = String(decoding: text.dropFirst(offset), as: UTF8.self)
            lines.append(.delta(message.id, at: offset, to: text.count, text: new))
        }
        offsets[message.id] = text.count
        if message.state.isFinal {
            done.insert(message.id)
            lines.append(.ended(message))
        }
        return lines
    }
}
