// Results of calls of the response that a request continues.

public import ChatCore

extension ResponseRequest {
    /// Whether it has results of calls that are not in the request.
    public var hasResults: Bool { !results.isEmpty }

    /// What it asks for, with the results in the order of the calls: models have no ids for them.
    /// - Parameters:
    ///   - calls: the ids of the calls of the answer that it continues, in order.
    ///   - tools: the functions of that answer's conversation; nil for none.
    /// - Returns: the request, whose texts have marks if the conversation's texts have them.
    /// - Throws: `APIError` if a call has no result, or a result no call.
    public func completion(
        after calls: [String],
        _ tools: ToolUse?
    ) throws(APIError) -> ChatCompletionRequest {
        if let result = results.first(where: { !calls.contains($0.id) }) {
            throw APIError.invalid(
                result.place,
                "the response that it continues has no call \"\(result.id.prefix(100))\""
            )
        }
        var turns: [ChatCompletionRequest.Turn] = []
        for id in calls {
            guard let result = results.first(where: { $0.id == id }) else {
                throw APIError.invalid("input", "the call \"\(id)\" has no result")
            }
            var turn = ChatCompletionRequest.Turn(result: result.text)
            turn.text = turn.stored(hasTools: true)
            turns.append(turn)
        }
        var completion = completion
        if tools != nil { completion.markTexts() }
        if completion.question.isEmpty, let last = turns.popLast() {
            completion.question = last.text
        }
        completion.history = turns + completion.history
        return completion
    }
}
