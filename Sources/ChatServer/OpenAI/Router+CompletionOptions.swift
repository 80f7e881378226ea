// Whether a model can do what a request's options ask for.

import ChatCore
import ChatProtocol
import ChatStore
import OpenAIProtocol

extension Router {
    /// Throws unless a turn's model, which is ready, can do what the turn's options ask for.
    /// - Throws: `APIError` that names the option; `WireError` if the model cannot answer.
    func require(_ turn: RequestedTurn, of call: CompletionCall) async throws {
        let (options, model) = (turn.options, turn.model)
        guard !options.isEmpty, let pool = server.dispatcher.pool else { return }
        let engine = try pool.engine(for: model)
        if let format = options.format {
            try await require(
                format,
                of: engine,
                maxTokens: turn.settings.maxTokens ?? server.settings.maxTokens,
                field: call.completion.formatField,
                stop: turn.settings.stop ?? []
            )
        }
        guard let name = options.firstName else { return }
        guard let vocabulary = engine.vocabulary else {
            throw APIError.unsupported(
                name,
                "the model \(model) is generated on another machine, where the server does not "
                    + "support it; leave it out"
            )
        }
        if let bias = options.logitBias.first(where: { !vocabulary.hasToken($0.token) }) {
            throw APIError.invalid("logit_bias", "the model has no token \(bias.token)")
        }
    }
}
