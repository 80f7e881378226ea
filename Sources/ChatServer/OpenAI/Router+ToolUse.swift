// Whether a model's answers can have the form of a request's calls: known before it is queued.

import ChatCore
import ChatProtocol
import ChatStore
import ConstrainedText
import EventLoop
import OpenAIProtocol

extension Router {
    /// Throws unless calls of a turn's functions can have their form. Compiles it on a worker thread; the
    /// model finds it there.
    /// - Returns: how many tokens suffice for an answer that must have a call; else 0.
    /// - Throws: `APIError` that names the field.
    func require(
        _ tools: ToolUse,
        of engine: ModelEngine,
        _ turn: RequestedTurn
    ) async throws -> Int {
        let stop = turn.settings.stop ?? []
        let constraint = engine.constraint(of: turn.options, stop: stop)
        guard case .calls? = constraint, let constraint, let tokensNeeded = engine.tokensNeeded
        else {
            try requireNoStrictness(tools, engine, turn)
            return 0
        }
        let (beginning, encode) = (tools.beginning ?? "", engine.encodeCalls)
        let needed: Int
        do {
            needed = try await server.dispatcher.promptWorkers.run {
                try tokensNeeded(constraint, encode(beginning))
            }
        } catch let error as ConstraintError {
            throw APIError.invalid("tools", "\(error)", code: "invalid_schema")
        }
        let maxTokens = turn.settings.maxTokens ?? server.settings.maxTokens
        guard beginning.isEmpty || needed <= maxTokens else {
            throw APIError.invalid(
                "tool_choice",
                "the shortest call takes up to \(needed) tokens, and the answer may have "
                    + "\(maxTokens): raise the limit"
            )
        }
        return beginning.isEmpty ? 0 : needed
    }

    /// Throws if a function is strict, and nothing holds its schema.
    private func requireNoStrictness(
        _ tools: ToolUse,
        _ engine: ModelEngine,
        _ turn: RequestedTurn
    ) throws {
        guard tools.hasStrictFunctions, tools.definitions != nil else { return }
        let reason =
            if turn.options.format != nil {
                "an answer with a form of its own has no calls of strict functions"
            } else if engine.tokensNeeded == nil {
                "the model \(turn.model) is generated on another machine, where nothing holds it"
            } else {
                "a stop string could end a call before its arguments are complete"
            }
        throw APIError.unsupported("tools", "strict: true is not supported here: \(reason)")
    }
}
