// `POST /v1/completions`: texts that continue prompts, without a chat template.

import ChatCore
import ChatProtocol
import ChatStore
import HTTPProtocol
import OpenAIProtocol

extension Router {
    /// `POST /v1/completions`.
    func completeText(_ request: Request, _ signedIn: SignedIn) async throws -> Outcome {
        let completion = try TextCompletionRequest(reading: await wholeBody(of: request))
        guard request.head.headers["stoa-conversation"] == nil else {
            throw APIError.unsupported(
                "stoa-conversation",
                "a conversation takes chat completions and responses: leave the header out"
            )
        }
        let call = try CompletionCall(request, by: signedIn, completion)
        try server.requireRoom(for: signedIn.user.id)
        try await requireReady(completion.model)
        let turn = try RequestedTurn(completion, texts: texts(of: completion))
        let accepted = try await accept(call, turn)
        let head = CompletionHead(
            id: "cmpl-\(accepted.answer.id)",
            created: accepted.created,
            model: accepted.model
        )
        let echoes = turn.questions.flatMap { text in
            [String](repeating: completion.echoes ? text : "", count: completion.answerCount)
        }
        return try await answer(
            call,
            accepted,
            by: TextCompletionWriter(
                head,
                echoes: echoes,
                includesUsage: completion.includesUsage,
                includesTokens: completion.options.topLogprobs != nil
            )
        )
    }

    /// The texts of a request's prompts.
    /// - Throws: `APIError` for a token that the model does not have.
    private func texts(of completion: TextCompletionRequest) throws -> [String] {
        let vocabulary = try server.dispatcher.pool?.engine(for: completion.model).vocabulary
        return try completion.prompts.map { prompt in
            switch prompt {
            case .text(let text): return text
            case .tokens(let tokens):
                // `accept` refuses prompts without a template where no tokens are known.
                guard let vocabulary else { return "" }
                if let unknown = tokens.first(where: { !vocabulary.hasToken($0) }) {
                    throw APIError.invalid("prompt", "the model has no token \(unknown)")
                }
                // PostgreSQL cannot store this character.
                return vocabulary.text(of: tokens).replacing("\0", with: "\u{FFFD}")
            }
        }
    }
}

extension RequestedTurn {
    /// The turn of a request.
    /// - Parameters:
    ///   - request: the request.
    ///   - texts: the texts of its prompts.
    fileprivate init(_ request: TextCompletionRequest, texts: [String]) {
        self.init(
            model: request.model,
            systemPrompt: "",
            history: [],
            questions: texts,
            settings: request.settings
        )
        options = request.options
        options.rawPrompts = request.prompts.map { prompt in
            switch prompt {
            case .text: .text
            case .tokens(let tokens): .tokens(tokens)
            }
        }
        answerCount = request.answerCount
    }
}
