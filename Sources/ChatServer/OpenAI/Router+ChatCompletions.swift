// `POST /v1/chat/completions`.

import ChatCore
import ChatProtocol
import ChatStore
import HTTPProtocol
import OpenAIProtocol
import ToolCalls

extension Router {
    func completeChat(_ request: Request, _ signedIn: SignedIn) async throws -> Outcome {
        var completion = try ChatCompletionRequest(reading: await wholeBody(of: request))
        completion.resolveEffort(longest: server.settings.maxTokens)
        let call = try CompletionCall(request, by: signedIn, completion)
        try server.requireRoom(for: signedIn.user.id)
        let place = try CompletionPlace(
            header: request.head.headers["stoa-conversation"],
            store: completion.store
        )
        let accepted =
            switch place {
            case .ownConversation: try await accept(call, RequestedTurn(completion))
            case .newConversation: try await accept(call, completion, in: nil)
            case .conversation(let id): try await accept(call, completion, in: id)
            }
        let head = CompletionHead(
            id: "chatcmpl-\(accepted.answer.id)",
            created: accepted.created,
            model: accepted.model
        )
        return try await answer(
            call,
            accepted,
            by: ChatCompletionWriter(
                head,
                count: accepted.answers.count,
                includesUsage: completion.includesUsage,
                includesTokens: completion.options.topLogprobs != nil,
                parser: ToolCallParser(completion.options.tools)
            )
        )
    }
}

extension RequestedTurn {
    /// The turn of a request.
    /// - Parameters:
    ///   - request: the request.
    ///   - earlier: messages before those of the request.
    init(_ request: ChatCompletionRequest, after earlier: [Earlier] = []) {
        self.init(
            model: request.model,
            systemPrompt: request.system ?? "",
            history: earlier + request.history.map { Earlier(role: $0.role, text: $0.text) },
            questions: [request.question],
            settings: request.settings
        )
        options = request.options
        answerCount = request.answerCount
    }
}
