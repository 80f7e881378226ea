// Turns of OpenAI's API that land in a conversation of the user, where everybody sees them live.

import ChatCore
import ChatProtocol
import ChatStore
import Digests
import OpenAIProtocol
import ThinkingText

/// Where the turn of a request is kept.
enum CompletionPlace {
    /// In a conversation of the request's own, which nobody sees.
    case ownConversation
    /// In a new conversation of the user.
    case newConversation
    /// In a conversation that the user may write in.
    case conversation(ConversationID)

    /// - Parameters:
    ///   - header: the header `stoa-conversation`.
    ///   - store: the field `store`.
    /// - Throws: `APIError` if they contradict each other, or the header is malformed.
    init(header: String?, store: Bool?) throws(APIError) {
        switch (header, store) {
        case (nil, true): self = .newConversation
        case (nil, _): self = .ownConversation
        case (_?, false):
            throw APIError.invalid("store", "it contradicts the header stoa-conversation")
        case ("new"?, _): self = .newConversation
        case (let text?, _):
            guard let id = ConversationID(text) else {
                throw APIError.invalid("stoa-conversation", "it must be new, or the id of one")
            }
            self = .conversation(id)
        }
    }
}

extension Router {
    /// Stores the turn of a request in a conversation of the user.
    /// - Parameters:
    ///   - call: the request.
    ///   - completion: what it asks for.
    ///   - conversation: the conversation; nil for a new one.
    ///   - parent: the answer to which the question is a reply; nil for the last message of the
    ///     branch that the user sees.
    /// - Returns: the stored turn.
    /// - Throws: `APIError` if the request does not agree with the conversation; `WireError`.
    func accept(
        _ call: CompletionCall,
        _ completion: ChatCompletionRequest,
        in conversation: ConversationID?,
        after parent: MessageID? = nil
    ) async throws -> AcceptedCompletion {
        let (key, user) = (call.key.text, call.user)
        guard call.signedIn.credential.scopes.isSuperset(of: [.read, .write]) else {
            throw WireError(
                .forbidden,
                "the API key needs the scopes read and write too, for conversations"
            )
        }
        let isMore = completion.answerCount > 1
        let format = completion.options.format.map { _ in completion.formatField }
        if let name = isMore ? "n" : format ?? completion.options.firstName {
            throw APIError.unsupported(
                name,
                "conversations do not have it: leave it out, or the header stoa-conversation"
            )
        }
        try Limits.check(completion.question, "the question", atMost: server.limits.textBytes)
        let place: Conversation
        if let conversation {
            place = try await server.store.conversations.conversation(conversation, for: user.id)
        } else {
            place = try await create(for: completion, key, user)
        }
        let message = MessageSendRequest(
            conversation: place.id,
            key: key,
            text: completion.question,
            parent: parent
        )
        if let stored = try await server.store.messages.reply(to: message, key: key, of: user.id) {
            return AcceptedCompletion(stored, model: place.model)
        }
        if conversation != nil { try await require(completion, after: parent, fits: place, user) }
        try server.rates.take(.question, of: user.id)
        let committed = try await server.storeTurn(of: user) { limits in
            try await server.store.messages.send(message, by: user, limits: limits)
        }
        server.tellTurn(committed, in: place.id)
        return AcceptedCompletion(committed.value, model: place.model)
    }

    /// Creates the conversation of a request, once for each key.
    private func create(
        for completion: ChatCompletionRequest,
        _ key: String,
        _ user: User
    ) async throws -> Conversation {
        guard completion.history.isEmpty else {
            throw APIError.invalid(
                "messages",
                "a new conversation begins with one question: leave out the earlier messages"
            )
        }
        try await requireReady(completion.model)
        try Limits.check(
            completion.system,
            "the system message",
            atMost: server.limits.textBytes
        )
        let settings = completion.settings
        let conversation = try await server.store.conversations.create(
            ConversationCreateRequest(
                // The message has the key itself.
                key: SHA256.digest(of: "conversation \(key)").hexadecimal,
                systemPrompt: completion.system,
                settings: settings == GenerationSettings() ? nil : settings
            ),
            model: completion.model,
            by: user.id
        )
        server.hub.lists.changed(user.id)
        return conversation
    }

    /// Throws unless a request agrees with its conversation: what differs would be ignored.
    private func require(
        _ completion: ChatCompletionRequest,
        after parent: MessageID?,
        fits conversation: Conversation,
        _ user: User
    ) async throws {
        let (asked, own) = (completion.settings, conversation.settings)
        let fields: [(name: String, agrees: Bool)] = [
            ("model", completion.model == conversation.model),
            ("temperature", asked.temperature == nil || asked.temperature == own.temperature),
            ("top_p", asked.topP == nil || asked.topP == own.topP),
            ("max_completion_tokens", asked.maxTokens == nil || asked.maxTokens == own.maxTokens),
            (
                completion.thinkingField,
                asked.maxThinkingTokens == nil
                    || asked.maxThinkingTokens == own.maxThinkingTokens
            ),
            ("seed", asked.seed == nil || asked.seed == own.seed),
            ("stop", asked.stop == nil || asked.stop == own.stop),
            (
                "messages[0]",
                completion.system == nil || completion.system == conversation.systemPrompt
            ),
        ]
        if let field = fields.first(where: { !$0.agrees }) {
            throw APIError.invalid(
                field.name,
                "it differs from the conversation's own: leave it out, or change the conversation"
            )
        }
        guard !completion.history.isEmpty else { return }
        guard parent == nil else {
            throw APIError.invalid("input", "in a conversation it must be one question")
        }
        let page = try await server.store.messages.page(
            of: conversation.id,
            before: nil,
            limit: completion.history.count + 1,
            for: user.id
        )
        let branch = page.messages.map {
            // Programs have the answers without what the model thought.
            ChatCompletionRequest.Turn(
                role: $0.role,
                text: $0.role == .assistant ? ThinkingParts.answer(of: $0.text) : $0.text
            )
        }
        guard !page.more, branch == completion.history else {
            throw APIError.invalid(
                "messages",
                "the earlier messages are not the conversation's branch: send all of it, or only "
                    + "the question"
            )
        }
    }
}
