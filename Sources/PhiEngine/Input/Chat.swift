// A conversation in words that no model's template decides.

/// The messages of a conversation.
public enum Chat {
    /// One message.
    public struct Message: Sendable, Hashable {
        /// Who speaks.
        public enum Role: String, Sendable {
            case user
            case assistant
            case system
        }

        /// Who speaks.
        public var role: Role
        /// What is said; anything at all.
        public var content: String

        /// A message.
        public init(role: Role, content: String) {
            self.role = role
            self.content = content
        }

        /// What the model is told to be.
        public static func system(_ content: String) -> Message {
            Message(role: .system, content: content)
        }

        /// What the model said.
        public static func assistant(_ content: String) -> Message {
            Message(role: .assistant, content: content)
        }

        /// What the user says.
        public static func user(_ content: String) -> Message {
            Message(role: .user, content: content)
        }
    }
}
