// `POST /v1/responses`: answers that later requests may continue.

import ChatCore
import ChatProtocol
import ChatStore
import HTTPProtocol
import OpenAIProtocol

extension Router {
    /// `POST /v1/responses`.
    func createResponse(_ request: Request, _ signedIn: SignedIn) async throws -> Outcome {
        var asked = try ResponseRequest(reading: await wholeBody(of: request))
        asked.completion.resolveEffort(longest: server.settings.maxTokens)
        let call = try CompletionCall(request, by: signedIn, asked.completion)
        try server.requireRoom(for: signedIn.user.id)
        let place = try CompletionPlace(
            header: request.head.headers["stoa-conversation"],
            store: asked.isStored ? nil : false
        )
        let accepted: AcceptedCompletion
        switch (place, asked.previous) {
        case (.ownConversation, nil):
            var turn = RequestedTurn(asked.completion)
            turn.isStored = asked.isStored
            accepted = try await accept(call, turn)
        case (.ownConversation, let previous?):
            accepted = try await accept(call, asked, continuing: previous)
        case (_, _?):
            throw APIError.invalid(
                "previous_response_id",
                "it names a conversation: leave out the header stoa-conversation"
            )
        case (.newConversation, nil): accepted = try await accept(call, asked.completion, in: nil)
        case (.conversation(let id), nil):
            accepted = try await accept(call, asked.completion, in: id)
        }
        let head = ResponseObject.Head(
            answer: accepted.answer.id,
            created: accepted.created,
            model: accepted.model,
            instructions: asked.completion.system,
            previous: asked.previous,
            settings: asked.completion.settings,
            format: asked.completion.options.format,
            tools: asked.completion.options.tools,
            isStored: asked.isStored
        )
        return try await answer(call, accepted, by: ResponseWriter(head))
    }

    /// Stores the turn of a request that continues an answer: in the answer's conversation, as a
    /// branch. A request's own conversation has one model, one system prompt and one set of
    /// settings, so if the request changes one of them, or adds messages before its question, the
    /// branch is copied into a new conversation.
    private func accept(
        _ call: CompletionCall,
        _ asked: ResponseRequest,
        continuing previous: MessageID
    ) async throws -> AcceptedCompletion {
        let continued: ContinuedAnswer
        do {
            continued = try await server.store.messages.continued(previous, for: call.user.id)
        } catch let error as WireError where error.code == .notFound {
            throw APIError.noResponse(previous.responseID, parameter: "previous_response_id")
        }
        guard continued.isOfRequest else {
            guard !asked.hasResults else {
                throw APIError.invalid("input", "the conversation that it continues has no calls")
            }
            guard asked.isStored else {
                throw APIError.invalid("store", "it contradicts a turn in a conversation")
            }
            return try await accept(
                call,
                asked.completion,
                in: continued.conversation,
                after: previous
            )
        }
        guard continued.answer.state.isFinal else {
            throw APIError.invalid("previous_response_id", "it has not ended: wait for its end")
        }
        let completion = try asked.completion(after: continued.calls, continued.options.tools)
        let earlier = continued.earlier(hasTools: completion.options.tools != nil)
        var turn = RequestedTurn(completion)
        turn.isStored = asked.isStored
        guard asked.isStored, turn.history.isEmpty, continued.agrees(with: turn) else {
            turn.history = earlier + turn.history
            return try await accept(call, turn)
        }
        turn.place = RequestedTurn.Place(
            conversation: continued.conversation,
            parent: previous
        )
        return try await accept(call, turn, after: earlier)
    }
}

extension ContinuedAnswer {
    /// The ids of the answer's calls, in order.
    fileprivate var calls: [String] {
        ResponseOutput.calls(in: answer.text, of: answer.id, options.tools)
    }

    /// The messages up to the answer.
    /// - Parameter hasTools: whether what continues them has tools, so that texts have marks.
    /// - Returns: the messages.
    fileprivate func earlier(hasTools: Bool) -> [RequestedTurn.Earlier] {
        let lacksMarks = hasTools && options.tools == nil
        return branch.map { message in
            let isMarked = lacksMarks && message.role == .user
            let text = isMarked ? ToolText(.user, message.text).stored : message.text
            return RequestedTurn.Earlier(role: message.role, text: text)
        }
    }

    /// Whether a turn has the conversation's model, system prompt and settings.
    fileprivate func agrees(with turn: RequestedTurn) -> Bool {
        turn.model == model && turn.systemPrompt == systemPrompt && turn.settings == settings
            && turn.options == options
    }
}
