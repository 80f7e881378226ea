// What happens in a conversation, as lines for scripts: the events of the protocol that concern messages,
// without their numbers.

package import ChatProtocol

/// One event of a conversation.
package enum ConversationLine: Hashable, Sendable {
    /// A message was added. An answer has no text yet.
    case created(Message)
    /// An answer waits at this queue position, for about so many seconds.
    case queued(MessageID, position: Int, eta: Double?)
    /// The engine has read so many of the prompt's tokens.
    case progress(MessageID, done: Int, total: Int)
    /// An answer has new text, from byte `at` to byte `to`.
    case delta(MessageID, at: Int, to: Int, text: String)
    /// The text after byte `at` is void and comes again.
    case restarted(MessageID, at: Int)
    /// An answer has ended; the message is complete.
    case ended(Message)
    /// Messages were deleted.
    case deleted([MessageID])
}

extension ConversationLine: Encodable {
    private enum Key: String, CodingKey {
        case ev, message, messages, position, eta, done, total, at, to, text
    }

    /// Writes `{"ev":"message.delta",…}`.
    package func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: Key.self)
        try object.encode(name.rawValue, forKey: .ev)
        switch self {
        case .created(let message), .ended(let message):
            try object.encode(message, forKey: .message)
        case .queued(let id, let position, let eta):
            try object.encode(id, forKey: .message)
            try object.encode(position, forKey: .position)
            try object.encodeIfPresent(eta, forKey: .eta)
        case .progress(let id, let done, let total):
            try object.encode(id, forKey: .message)
            try object.encode(done, forKey: .done)
            try object.encode(total, forKey: .total)
        case .delta(let id, let at, let to, let text):
            try object.encode(id, forKey: .message)
            try object.encode(at, forKey: .at)
            try object.encode(to, forKey: .to)
            try object.encode(text, forKey: .text)
        case .restarted(let id, let at):
            try object.encode(id, forKey: .message)
            try object.encode(at, forKey: .at)
        case .deleted(let ids):
            try object.encode(ids, forKey: .messages)
        }
    }

    private var name: ServerEvent.Name {
        switch self {
        case .created: .messageCreated
        case .queued: .messageQueued
        case .progress: .messageProgress
        case .delta: .messageDelta
        case .restarted: .messageRestarted
        case .ended(let message):
            switch message.state {
            case .stopped: .messageStopped
            case .failed: .messageFailed
            default: .messageCompleted
            }
        case .deleted: .messageDeleted
        }
    }
}
