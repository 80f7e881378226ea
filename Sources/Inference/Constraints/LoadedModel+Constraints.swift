// The forms of answers, for callers of an engine and for its loop.

public import ConstrainedText

extension LoadedModel {
    /// Compiles a form, and counts the tokens that an answer with it needs. Takes up to 0.3 s, and
    /// for the first form of a model some more for its vocabulary: not for an event loop. The
    /// engine finds the result later.
    /// - Parameter constraint: the form.
    /// - Returns: a number of tokens that suffices.
    /// - Throws: `ConstraintError` if the form is not supported.
    public func tokensNeeded(for constraint: AnswerConstraint) throws(ConstraintError) -> Int {
        try constraints.tokensNeeded(for: constraint, after: [])
    }

    /// The state of a request's answer after its prefix; nil for a request without a form.
    /// - Throws: `.invalidRequest` if the form is not supported, the prefix cannot have it, or it
    ///   needs more tokens than there is room for.
    func form(
        of request: GenerationRequest,
        tokensMax: Int
    ) throws(EngineError) -> ConstrainedAnswer? {
        guard let constraint = request.constraint else { return nil }
        let answer = ConstrainedAnswer(try compiled(constraint))
        for token in request.answerPrefix {
            if stopTokens.contains(token), answer.isComplete { break }
            guard answer.advance(token) else {
                throw .invalidRequest("the answer's beginning does not have the requested form")
            }
        }
        let room = tokensMax - request.prompt.count - request.answerPrefix.count
        guard answer.tokensToEnd <= room else {
            throw .invalidRequest(
                "an answer with the requested form takes up to \(answer.tokensToEnd) tokens, "
                    + "and there is room for \(room)"
            )
        }
        return answer
    }

    private func compiled(_ constraint: AnswerConstraint) throws(EngineError) -> TokenConstraint {
        do throws(ConstraintError) {
            return try constraints.compiled(constraint)
        } catch {
            throw .invalidRequest("the form of the answer: \(error)")
        }
    }
}
