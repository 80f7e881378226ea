// Whether a model can do what a request's options ask for.

import ChatCore
import OpenAIProtocol

extension Router {
    /// Throws unless a model, which is ready, can do what options ask for.
    /// - Throws: `APIError` that names the option; `WireError` if the model cannot answer.
    func require(_ options: CompletionOptions, of model: String) throws {
        guard let name = options.firstName, let pool = server.dispatcher.pool else { return }
        let engine = try pool.engine(for: model)
        guard let hasToken = engine.hasToken else {
            throw APIError.unsupported(
                name,
                "the model \(model) is generated on another machine, where the server does not "
                    + "support it; leave it out"
            )
        }
        if let bias = options.logitBias.first(where: { !hasToken($0.token) }) {
            throw APIError.invalid("logit_bias", "the model has no token \(bias.token)")
        }
    }
}
