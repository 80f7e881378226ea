// A conversation, independent of a model's template.

/// The messages of a conversation.
public enum Chat {
    /// One message.
    public struct Message: Sendable, Hashable {
        /// The author of a message.
        public enum Role: String, Sendable {
            case user
            case assistant
            case system
        }

        /// The author.
        public var role: Role
        /// The text; not interpreted.
        public var content: String

        /// A message.
        public init(role: Role, content: String) {
            self.role = role
            self.content = content
        }

        /// A system prompt.
        public static func system(_ content: String) -> Message {
            Message(role: .system, content: content)
        }

        /// A message of the model.
        public static func assistant(_ content: String) -> Message {
            Message(role: .assistant, content: content)
        }

        /// A message of the user.
        public static func user(_ content: String) -> Message {
            Message(role: .user, content: content)
        }
    }
}
