// Renders a conversation for a terminal or a pipe, as a value: changes in, text out. All text from other
// users passes through `TerminalSanitizer`.

package import ChatClient
package import ChatProtocol
import TerminalText
import ThinkingText

/// The output for one open conversation.
///
/// On a terminal, answers follow "phi: ", notes are in parentheses, and a half-typed line is cleared from
/// the screen before other output (the terminal's input buffer keeps it). In a pipe only answers are
/// written, so that a script reads nothing else: not what a reasoning model thinks either.
package struct ChatTranscript {
    /// How many messages to show when a conversation is opened in a terminal.
    private static let openingCount = 20
    private static let clearLine = "\r\u{1B}[K"
    private static let prompt = "> "

    private let user: UserID
    private let isTerminal: Bool
    private var growing: Growing?
    /// The queued answer whose position was printed last.
    private var waiting: (id: MessageID, position: Int)?
    private var shown: Set<MessageID> = []
    /// The branch on the screen.
    private var branch: [MessageID] = []
    private var isOpen = false
    private var title = ""
    private var systemPrompt: String?
    /// Output that arrived while an answer was printed, and follows it.
    private var held = ""
    /// Messages that the user typed here, which are not echoed.
    private var expected: [String] = []

    /// The answer on the screen's last line.
    private struct Growing {
        let id: MessageID
        var byteCount = 0
        var sanitizer = TerminalSanitizer()
        var splitter = ThinkingSplitter()
    }

    /// The empty output of `user`.
    package init(user: UserID, isTerminal: Bool) {
        self.user = user
        self.isTerminal = isTerminal
    }

    /// Suppresses the echo of a message that the user typed here.
    package mutating func expect(_ text: String) {
        expected.append(text)
        if expected.count > 100 { expected.removeFirst() }
    }

    /// A note of the program.
    package func note(_ text: String) -> String {
        guard isTerminal else { return "" }
        let start = growing == nil ? Self.clearLine : "\n"
        return start + text + "\n" + (growing == nil ? Self.prompt : "")
    }

    /// The output for these changes.
    package mutating func show(
        _ changes: [ConversationView.Change],
        of view: ConversationView
    ) -> String {
        let wasGrowing = growing != nil
        var text = ""
        for change in changes { text += show(change, of: view) }
        branch = view.messages.map(\.id)
        guard isTerminal, !text.isEmpty else { return text }
        return (wasGrowing ? "" : Self.clearLine) + text + (growing == nil ? Self.prompt : "")
    }

    private mutating func show(
        _ change: ConversationView.Change,
        of view: ConversationView
    ) -> String {
        switch change {
        case .reloaded: return reload(view)
        case .switched: return switchBranch(view)
        case .updated: return updated(view)
        case .membersChanged: return line("(members: \(members(of: view)))")
        case .deleted: return line("(this conversation was deleted)")
        case .removed(let ids):
            guard ids.contains(where: { branch.contains($0) }) else { return "" }
            let end = growing.map { ids.contains($0.id) } == true ? finishLine() : ""
            return end + line("(deleted from here on)")
        case .siblings, .rated, .progressed: return ""
        case .created(let id), .queued(let id, _, _), .started(let id, _), .grew(let id, _),
            .restarted(let id), .ended(let id):
            // Changes on other branches are not printed; a new branch is printed as a whole.
            let isHere = view.isShown(id) && branch.last.map { view.isShown($0) } != false
            return isHere ? show(change, at: id, of: view) : ""
        }
    }

    private mutating func show(
        _ change: ConversationView.Change,
        at id: MessageID,
        of view: ConversationView
    ) -> String {
        switch change {
        case .created: created(id, view)
        case .queued(_, let position, let eta): queued(id, position, eta)
        case .started(_, let dropped):
            dropped > 0 ? line("(the oldest \(dropped) messages no longer fit)") : ""
        case .grew: grow(id, view)
        case .restarted: restart(id)
        case .ended: end(id, view)
        default: ""
        }
    }

    // MARK: Messages

    private mutating func reload(_ view: ConversationView) -> String {
        var text = ""
        remember(view)
        if !isOpen {
            isOpen = true
            text += line("— \(title(of: view)) (\(members(of: view))) —")
            let older = view.messages.dropLast(Self.openingCount)
            shown.formUnion(older.filter(\.state.isFinal).map(\.id))
            if !isTerminal { shown.formUnion(view.messages.filter(\.state.isFinal).map(\.id)) }
        }
        for message in view.messages where !shown.contains(message.id) {
            text += write(message, view)
        }
        return text
    }

    private mutating func write(_ message: Message, _ view: ConversationView) -> String {
        if message.role == .user { return created(message.id, view) }
        if message.state.isFinal { return end(message.id, view) }
        return message.text.isEmpty ? "" : grow(message.id, view)
    }

    /// Prints another branch from where it differs from the one on the screen.
    private mutating func switchBranch(_ view: ConversationView) -> String {
        let messages = view.messages
        let common = zip(messages, branch).prefix { $0.id == $1 }.count
        // Only older messages were added above, or the last ones removed.
        guard common < messages.count,
            !messages.suffix(branch.count).map(\.id).elementsEqual(branch)
        else { return "" }
        var text = finishLine()
        let siblings = view.siblings(of: messages[common].id)
        if let place = siblings.firstIndex(of: messages[common].id), siblings.count > 1 {
            text += line("(version \(place + 1) of \(siblings.count))")
        }
        for message in messages[common...] {
            // In a pipe each answer is written once.
            if isTerminal { shown.remove(message.id) }
            if !shown.contains(message.id) { text += write(message, view) }
        }
        return text
    }

    private mutating func created(_ id: MessageID, _ view: ConversationView) -> String {
        guard let message = view.message(id), message.role == .user,
            shown.insert(id).inserted
        else { return "" }
        if message.author?.id == user, let place = expected.firstIndex(of: message.text) {
            expected.remove(at: place)
            return ""
        }
        let name = TerminalSanitizer.clean(message.author?.name ?? message.authorName ?? "someone")
        return whenIdle("\(name): \(TerminalSanitizer.clean(message.text))\n")
    }

    private mutating func grow(_ id: MessageID, _ view: ConversationView) -> String {
        guard let message = view.message(id) else { return "" }
        var text = ""
        if growing?.id != id { text += finishLine() + begin(id) }
        guard var answer = growing else { return text }
        let new = message.text.utf8.dropFirst(answer.byteCount)
        let pieces = answer.splitter.append(String(decoding: new, as: UTF8.self))
        for piece in pieces where piece.part == .answer {
            text += answer.sanitizer.append(piece.text)
        }
        answer.byteCount = message.text.utf8.count
        growing = answer
        return text
    }

    private mutating func begin(_ id: MessageID) -> String {
        growing = Growing(id: id)
        return isTerminal ? "phi: " : ""
    }

    private mutating func restart(_ id: MessageID) -> String {
        guard growing?.id == id else { return "" }
        let note = isTerminal ? "(the answer restarts)\n" : ""
        return "\n" + note + begin(id)
    }

    private mutating func end(_ id: MessageID, _ view: ConversationView) -> String {
        guard let message = view.message(id), shown.insert(id).inserted else { return "" }
        var text = message.text.isEmpty && growing?.id != id ? "" : grow(id, view)
        for piece in growing?.splitter.finish() ?? [] where piece.part == .answer {
            text += growing?.sanitizer.append(piece.text) ?? ""
        }
        text += finishLine(with: ending(of: message))
        return text
    }

    private func ending(of message: Message) -> String {
        guard isTerminal else { return "" }
        switch message.state {
        case .stopped: return "(stopped)\n"
        case .failed:
            let reason = TerminalSanitizer.clean(message.error?.message ?? "engine failed")
            return "(failed: \(reason))\n"
        default: return message.usage.map { "(\(Self.figures($0)))\n" } ?? ""
        }
    }

    /// Ends the line of a partly printed answer, if there is one, and prints the held output.
    private mutating func finishLine(with ending: String = "") -> String {
        let text = (growing == nil ? "" : "\n") + ending + held
        growing = nil
        held = ""
        return text
    }

    /// For example "12 tokens, 34.5 tokens/s, first after 120 ms".
    package static func figures(_ usage: Usage) -> String {
        let pace = (usage.tokensPerSecond * 10).rounded() / 10
        let first = Int(usage.timeToFirstTokenMilliseconds.rounded())
        return "\(usage.completionTokens) tokens, \(pace) tokens/s, first after \(first) ms"
    }

    // MARK: Notes

    /// For example "(queue position 3, about 12 s)"; empty if the position has not changed.
    private mutating func queued(_ id: MessageID, _ position: Int, _ eta: Double?) -> String {
        guard position > 1 || (eta ?? 0) >= 2, waiting?.id != id || waiting?.position != position
        else { return "" }
        waiting = (id, position)
        let time = eta.map { ", about \(Self.span($0))" } ?? ""
        return line("(queue position \(position)\(time))")
    }

    /// For example "12 s" or "3 min".
    package static func span(_ seconds: Double) -> String {
        seconds < 90
            ? "\(max(1, Int(seconds.rounded(.up)))) s" : "\(Int((seconds / 60).rounded())) min"
    }

    private mutating func updated(_ view: ConversationView) -> String {
        var text = ""
        if title(of: view) != title { text += line("(title: \(title(of: view)))") }
        if let prompt = view.conversation?.systemPrompt, prompt != systemPrompt {
            text += line("(system prompt: \(TerminalSanitizer.clean(prompt)))")
        }
        remember(view)
        return text
    }

    private mutating func remember(_ view: ConversationView) {
        title = title(of: view)
        systemPrompt = view.conversation?.systemPrompt
    }

    /// A line for terminals only.
    private mutating func line(_ text: String) -> String {
        isTerminal ? whenIdle(text + "\n") : ""
    }

    /// Lines that must not interrupt an answer.
    private mutating func whenIdle(_ lines: String) -> String {
        guard growing != nil else { return lines }
        held += lines
        return ""
    }

    private func title(of view: ConversationView) -> String {
        let title = view.conversation?.title ?? ""
        return title.isEmpty ? "new conversation" : TerminalSanitizer.clean(title)
    }

    private func members(of view: ConversationView) -> String {
        let names = view.conversation?.members.map { TerminalSanitizer.clean($0.user.name) } ?? []
        return names.joined(separator: ", ")
    }
}
