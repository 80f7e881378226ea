// The lines of a conversation as text that grows, as a value: one answer alone, or a transcript. What a
// reasoning model thinks is left out.

package import ChatProtocol
package import TerminalText
import ThinkingText

/// Text for people. Other messages that arrive while an answer grows follow it.
package struct ConversationText {
    /// The answer that is shown alone; nil for a transcript with names.
    private let only: MessageID?
    private let model: String
    private var growing: MessageID?
    private var sanitizer = TerminalSanitizer()
    private var splitter = ThinkingSplitter()
    private var held: SafeText = ""
    /// Whether the output is at the start of a line.
    private var isAtStart = true

    /// An empty text.
    /// - Parameters:
    ///   - only: the answer to show, without names; nil for a transcript.
    ///   - model: the name before answers in a transcript.
    package init(only: MessageID? = nil, model: String) {
        self.only = only
        self.model = model
    }

    /// The text for a line.
    package mutating func text(for line: ConversationLine) -> SafeText {
        switch line {
        case .created(let message): return created(message)
        case .delta(let id, _, _, let piece):
            guard only == nil || only == id else { return "" }
            let start = growing == id ? "" : begin(id)
            return start + shown(splitter.append(piece))
        case .restarted(let id, _):
            guard growing == id else { return "" }
            return finishLine() + begin(id)
        case .ended(let message): return ended(message)
        case .queued, .progress, .deleted: return ""
        }
    }

    private mutating func created(_ message: Message) -> SafeText {
        guard only == nil, message.role == .user else { return "" }
        let name = message.author?.name ?? message.authorName ?? "someone"
        let text: SafeText = "\(name): \(message.text)\n\n"
        guard growing != nil else { return text }
        held += text
        return ""
    }

    private mutating func shown(_ pieces: [ThinkingSplitter.Piece]) -> SafeText {
        let text = pieces.filter { $0.part == .answer }.map(\.text).joined()
        let shown = sanitizer.append(text)
        if let last = shown.utf8.last { isAtStart = last == 0x0A }
        return SafeText(ours: shown)
    }

    private mutating func begin(_ id: MessageID) -> SafeText {
        let end = growing == nil ? "" : finishLine()
        growing = id
        sanitizer = TerminalSanitizer()
        splitter = ThinkingSplitter()
        guard only == nil else { return end }
        isAtStart = false
        return end + "\(model): "
    }

    private mutating func ended(_ message: Message) -> SafeText {
        guard only == nil || only == message.id else { return "" }
        var text: SafeText = ""
        if growing == message.id {
            text += shown(splitter.finish())
            text += finishLine()
        }
        if only == nil {
            switch message.state {
            case .stopped: text += "(stopped)\n"
            case .failed: text += "(failed: \(message.error?.message ?? "engine failed"))\n"
            default: break
            }
            text += "\n"
        }
        growing = nil
        text += held
        held = ""
        return text
    }

    private mutating func finishLine() -> SafeText {
        defer { isAtStart = true }
        return isAtStart ? "" : "\n"
    }
}
