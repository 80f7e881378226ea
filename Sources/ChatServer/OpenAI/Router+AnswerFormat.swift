// Whether a model's answers can have the form that a request asks for: known before it is queued.

import ChatCore
import ConstrainedText
import EventLoop
import OpenAIProtocol

extension Router {
    /// Throws unless answers of a model can have a form. Compiles it on a worker thread; the model
    /// finds it there when the answer begins.
    /// - Parameters:
    ///   - format: the form.
    ///   - engine: the model, which is ready.
    ///   - maxTokens: the maximum length of the answer, in tokens.
    ///   - field: the field of the request that names the form.
    ///   - stop: the request's stop strings.
    /// - Returns: how many tokens suffice for an answer.
    /// - Throws: `APIError` that names the field.
    func require(
        _ format: AnswerFormat,
        of engine: ModelEngine,
        maxTokens: Int,
        field: String,
        stop: [String]
    ) async throws -> Int {
        guard stop.isEmpty else {
            throw APIError.invalid(
                "stop",
                "a stop string could end the answer before it has its form: "
                    + "leave it out, or \(field)"
            )
        }
        let constraint = format.constraint
        let tokensNeeded = engine.tokensNeeded
        let needed: Int
        do {
            needed = try await server.dispatcher.promptWorkers.run {
                if let tokensNeeded { return try tokensNeeded(constraint, []) }
                // How remote engines' tokens are made is not known.
                _ = try CompiledConstraint(constraint)
                return 1
            }
        } catch let error as ConstraintError {
            throw APIError.invalid(field, "\(error)", code: "invalid_schema")
        }
        guard needed <= maxTokens else {
            throw APIError.invalid(
                field,
                "the shortest answer with this form takes up to \(needed) tokens, and the answer "
                    + "may have \(maxTokens): raise the limit"
            )
        }
        return needed
    }
}
