// Greedy generation for tests of models.

import Checkpoints
import PhiModel

extension PhiSession {
    /// `count` greedy tokens after `prompt`, which is read in pieces of `chunk` tokens.
    func greedy(
        _ prompt: [TokenID],
        count: Int,
        rule: RopeRule = .perRun,
        chunk: Int = 512
    ) throws -> [TokenID] {
        let length = prompt.count + count
        let cache = try model.makeCache(
            capacity: length,
            ropeFactors: model.ropeFactors(forLength: length, rule: rule)
        )
        var answer: [TokenID] = []
        var pending = prompt
        while answer.count < count {
            let step = SequenceStep(
                tokens: Array(pending.prefix(chunk)),
                cache: cache,
                wantsLogits: pending.count <= chunk
            )
            pending.removeFirst(step.tokens.count)
            if let logits = try forward([step])[0] {
                answer.append(TokenID(argmax(logits)))
                pending = [answer[answer.count - 1]]
            }
        }
        return answer
    }
}
