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
            /// The program, which gives the result of a call.
            case tool
        }

        /// What a message has of tools.
        public enum Tool: Sendable, Hashable {
            /// The calls of an answer.
            case calls([ToolCall])
            /// Which call a result is of; models of this family are told results in the calls' order.
            case result(id: String)
        }

        /// The author.
        public var role: Role
        /// The text; not interpreted.
        public var content: String
        /// What it has of tools.
        public var tool: Tool?

        /// A message. The models take text alone, so images, videos and audios have no values.
        public init(
            role: Role,
            content: String,
            images: [UserInput.Image] = [],
            videos: [UserInput.Video] = [],
            audios: [UserInput.Audio] = [],
            tool: Tool? = nil
        ) {
            self.role = role
            self.content = content
            self.tool = tool
        }

        /// A system prompt.
        public static func system(
            _ content: String,
            images: [UserInput.Image] = [],
            videos: [UserInput.Video] = []
        ) -> Message {
            Message(role: .system, content: content)
        }

        /// A message of the model, with the calls that it made.
        public static func assistant(
            _ content: String,
            images: [UserInput.Image] = [],
            videos: [UserInput.Video] = [],
            toolCalls: [ToolCall]? = nil
        ) -> Message {
            Message(role: .assistant, content: content, tool: toolCalls.map { .calls($0) })
        }

        /// A message of the user.
        public static func user(
            _ content: String,
            images: [UserInput.Image] = [],
            videos: [UserInput.Video] = [],
            audios: [UserInput.Audio] = []
        ) -> Message {
            Message(role: .user, content: content)
        }

        /// The result of a call.
        public static func tool(_ content: String, id: String? = nil) -> Message {
            Message(role: .tool, content: content, tool: id.map { .result(id: $0) })
        }
    }
}
