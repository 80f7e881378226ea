// A message's text for people who read an export.

import ChatProtocol
import ThinkingText

extension MessageRecord {
    /// What a reasoning model thought, or nil, and the rest of the text.
    var parts: (thinking: String?, answer: String) {
        guard role == .assistant else { return (nil, text) }
        let parts = ThinkingParts(text)
        return (parts.thinking, parts.answer)
    }
}
