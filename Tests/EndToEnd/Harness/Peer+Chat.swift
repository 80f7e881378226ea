// Common operations of tests on a connection.

import ChatProtocol
import FoundationEssentials
import HTTPProtocol

extension StoaServer {
    /// Signs a user in and returns the token.
    func signIn(_ name: String) throws -> String {
        let request = SignInRequest(username: name, password: password(of: name))
        let answer = try post("/api/v1/session", request)
        guard answer.status == 200 else { throw HarnessError("sign-in: \(answer.text)") }
        return try answer.decode(as: SignInReply.self).token
    }

    /// Opens a WebSocket with a token, and reads the welcome.
    func connect(_ token: String) throws -> Peer {
        let peer = try Peer(self, token: token)
        guard case .welcome = try peer.nextEvent() else { throw HarnessError("no welcome first") }
        return peer
    }
}

extension Peer {
    /// Creates a conversation.
    func createConversation(
        title: String? = nil,
        systemPrompt: String? = nil,
        settings: GenerationSettings? = nil
    ) throws -> ConversationID {
        let request = ConversationCreateRequest(
            key: UUID().uuidString,
            title: title,
            systemPrompt: systemPrompt,
            settings: settings
        )
        return try call(.conversationCreate, request, as: ConversationReply.self).conversation.id
    }

    /// Sends a message.
    func say(
        _ text: String,
        in conversation: ConversationID,
        key: String = UUID().uuidString
    ) throws -> MessageSendReply {
        try call(
            .messageSend,
            MessageSendRequest(conversation: conversation, key: key, text: text)
        )
    }

    /// Watches a conversation from the beginning.
    func watch(_ conversation: ConversationID) throws -> Mirror {
        let reply: ConversationWatchReply = try call(
            .conversationWatch,
            ConversationWatchRequest(conversation: conversation)
        )
        var mirror = Mirror()
        try mirror.take(reply)
        return mirror
    }

    /// Watches a conversation from where a lost connection ended.
    func watchAgain(_ conversation: ConversationID, _ mirror: inout Mirror) throws {
        let request = mirror.catchUpRequest(conversation)
        try mirror.take(call(.conversationWatch, request, as: ConversationWatchReply.self))
    }

    /// Sends a message and waits for the complete answer. The conversation must be watched.
    func ask(_ text: String, in conversation: ConversationID, _ mirror: inout Mirror) throws
        -> String
    {
        let answer = try say(text, in: conversation).answer.id
        try follow(&mirror, until: answer)
        return mirror.text(of: answer)
    }

    /// Applies events until an answer has ended.
    func follow(
        _ mirror: inout Mirror,
        until answer: MessageID,
        within duration: Duration = .patience
    ) throws {
        try follow(&mirror, within: duration) { $0.state(of: answer)?.isFinal == true }
    }

    /// Applies events until `condition` holds.
    func follow(
        _ mirror: inout Mirror,
        within duration: Duration = .patience,
        until condition: (Mirror) -> Bool
    ) throws {
        let deadline = Deadline(duration)
        while !condition(mirror) {
            guard !deadline.isOver else { throw HarnessError("the answer does not end") }
            try mirror.take(nextEvent(within: duration))
        }
    }

    /// All messages of a conversation in the database.
    func messages(of conversation: ConversationID) throws -> [Message] {
        try call(
            .messageList,
            MessageListRequest(conversation: conversation, limit: 200),
            as: MessageListReply.self
        ).messages
    }
}
