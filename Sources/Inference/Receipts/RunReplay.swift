// Repeats a run from its receipt, and verifies its tokens or finds the first difference.

public import Checkpoints
import PhiModel

/// The result of repeating a run.
public enum RunReplay: Sendable, Hashable {
    /// All tokens are the same.
    case same(tokenCount: Int)
    /// The first `position` tokens of the answer are equal. Then they have `recorded` and
    /// `replayed`; nil if an answer ended there.
    case differs(position: Int, recorded: TokenID?, replayed: TokenID?)

    /// Compares two answers.
    public init(recorded: [TokenID], replayed: [TokenID]) {
        let common = zip(recorded, replayed).prefix { $0 == $1 }.count
        if common == recorded.count, common == replayed.count {
            self = .same(tokenCount: common)
        } else {
            self = .differs(
                position: common,
                recorded: recorded.dropFirst(common).first,
                replayed: replayed.dropFirst(common).first
            )
        }
    }
}

extension LoadedModel {
    /// Repeats the run of `receipt`.
    ///
    /// A cancelled answer is repeated up to its length.
    /// - Parameters:
    ///   - receipt: the record of the run.
    ///   - prompt: the tokens of the prompt, which the receipt may contain.
    ///   - adapter: the receipt's adapter, loaded for this model; nil for none.
    ///   - configuration: its threads and speculation are used; the result depends on neither.
    /// - Returns: whether the tokens are equal.
    /// - Throws: `.invalidRequest` if `prompt` is not that of the receipt, or the model cannot read
    ///   it; `.promptTooLong`, `.modelBroken`.
    public func replay(
        _ receipt: RunReceipt,
        prompt: [TokenID],
        adapter: LoadedAdapter? = nil,
        configuration: EngineConfiguration = .standard
    ) throws(EngineError) -> RunReplay {
        guard RunReceipt.Prompt.hash(of: prompt) == receipt.prompt.hash else {
            throw .invalidRequest(
                "the prompt's tokens are not those that the receipt has a hash of"
            )
        }
        let wasCutOff = receipt.answer.finish == .stopped || receipt.answer.finish == .deadline
        let tokensMax = wasCutOff ? receipt.answer.ids.count : receipt.answer.tokensMax
        guard tokensMax > 0 else { return RunReplay(recorded: receipt.answer.ids, replayed: []) }
        let given = Array(receipt.answer.ids.prefix(receipt.answer.continuedCount ?? 0))
        var request = GenerationRequest(
            id: 1,
            prompt: prompt,
            answerPrefix: given,
            givenCount: given.count,
            sampling: receipt.sampling,
            maxNewTokens: tokensMax,
            stopStrings: receipt.answer.stopStrings,
            constraint: receipt.answer.constraint,
            // The factor set that was used, even if fewer tokens may be generated now.
            ropeRule: receipt.rope.factors == .short ? .alwaysShort : .alwaysLong
        )
        request.thinkingTokensMax = receipt.answer.thinkingTokensMax
        request.adapter = adapter
        let completion = try generate(
            request,
            configuration: EngineConfiguration(
                threads: configuration.threads,
                contextLimit: Self.contextLimit(prompt.count, tokensMax),
                speculates: configuration.speculates
            )
        ) { _ in }
        return RunReplay(
            recorded: receipt.answer.ids,
            replayed: completion.receipt?.answer.ids ?? []
        )
    }

    /// A context limit for the whole run, within the allowed range.
    private static func contextLimit(_ promptCount: Int, _ tokensMax: Int) -> Int {
        let range = EngineConfiguration.contextLimitRange
        let (sum, overflows) = promptCount.addingReportingOverflow(tokensMax)
        return overflows ? range.upperBound : min(max(sum, range.lowerBound), range.upperBound)
    }
}
