// Whether a model can do what a request's options ask for.

import ChatCore
import ChatProtocol
import ChatStore
import OpenAIProtocol
import RemoteEngine

extension Router {
    /// Throws unless a turn's model, which is ready, can do what the turn's options ask for.
    /// - Returns: how many tokens an answer needs to have its form; 0 without a form.
    /// - Throws: `APIError` that names the option; `WireError` if the model cannot answer.
    func require(_ turn: RequestedTurn, of call: CompletionCall) async throws -> Int {
        let (options, model) = (turn.options, turn.model)
        guard let pool = server.dispatcher.pool else { return 0 }
        if turn.settings.maxThinkingTokens != nil { try requireLimit(of: model, pool, call) }
        guard !options.isEmpty else { return 0 }
        let engine = try pool.engine(for: model)
        var needed = 0
        if let format = options.format {
            needed = try await require(
                format,
                of: engine,
                maxTokens: turn.settings.maxTokens ?? server.settings.maxTokens,
                field: call.completion.formatField,
                stop: turn.settings.stop ?? []
            )
        }
        if let tools = options.tools, !engine.knowsTools {
            throw APIError.unsupported(
                tools.functions.isEmpty ? "messages" : "tools",
                "the chat template of the model \(model) knows no tools, or is not applied here"
            )
        }
        if let tools = options.tools { needed += try await require(tools, of: engine, turn) }
        if let bias = options.logitBias.first(where: {
            engine.vocabulary?.hasToken($0.token) == false
        }) {
            throw APIError.invalid("logit_bias", "the model has no token \(bias.token)")
        }
        if let remote = engine.engine as? RemoteEngine {
            try require(options, of: remote, engine, model)
        }
        return needed
    }

    /// Throws if a model's engines on other machines cannot limit what it thinks.
    private func requireLimit(
        of model: String,
        _ pool: EnginePool,
        _ call: CompletionCall
    ) throws {
        guard let remote = try pool.engine(for: model).engine as? RemoteEngine,
            !remote.limitsThinking
        else { return }
        throw APIError.unsupported(
            call.completion.thinkingField,
            "the model \(model) is generated on another machine, where it cannot be limited"
        )
    }

    /// Throws unless the engines of a model on other machines can do what options ask for, beside
    /// tools and a form.
    private func require(
        _ options: CompletionOptions,
        of remote: RemoteEngine,
        _ engine: ModelEngine,
        _ model: String
    ) throws(APIError) {
        var refused = remote.adjustsLogits ? options.withoutAdjustments : options
        (refused.tools, refused.format) = (nil, nil)
        // A prompt without a template is sent as token ids.
        if remote.takesTokens, engine.vocabulary != nil { refused.rawPrompts = [] }
        guard let name = refused.firstName else { return }
        throw APIError.unsupported(
            name,
            "the model \(model) is generated on another machine, where the server does not "
                + "support it; leave it out"
        )
    }

    /// The text with which the answers of a turn begin: of a call that the model must make.
    func beginning(of turn: RequestedTurn) throws -> String {
        guard let beginning = turn.options.tools?.beginning, let pool = server.dispatcher.pool,
            try pool.engine(for: turn.model).knowsTools
        else { return "" }
        return beginning
    }
}
