// LongRoPE's two factor sets, and the rule that selects one for a run.

import Checkpoints

/// The rotation of a sequence's queries and keys.
///
/// Keys rotated with one set are useless for queries rotated with the other, so a cache has one set
/// for its lifetime, and a sequence that changes its set is computed again.
public enum RopeFactors: String, Codable, Sendable, Hashable, CaseIterable,
    CustomStringConvertible
{
    /// LongRoPE's set for sequences within the original context.
    case short
    /// LongRoPE's set for longer sequences.
    case long
    /// The model has no LongRoPE: one rotation for every length.
    case plain = "none"

    /// "short", "long" or "none", for receipts.
    public var description: String { rawValue }
}

/// How a run of a LongRoPE model gets its factor set: once, at its admission, for its maximum
/// length.
public enum RopeRule: String, Codable, Sendable, Hashable, CaseIterable {
    /// Short if prompt and new tokens are within the original context, otherwise long, as in the
    /// authors' training. transformers decides in the same way, but again at each token.
    case perRun = "per-run"
    /// Short at every length; for comparisons.
    case alwaysShort = "always-short"
    /// Long at every length, as in mlx-lm and MLX Swift LM.
    case alwaysLong = "always-long"
}

extension PhiModel {
    /// The factor set of a run, for `makeCache`.
    /// - Parameters:
    ///   - length: the maximum number of tokens of the sequence, prompt and answer.
    ///   - rule: the rule.
    /// - Returns: `.plain` for a model without LongRoPE, whatever the rule; otherwise short or
    ///   long.
    public func ropeFactors(forLength length: Int, rule: RopeRule = .perRun) -> RopeFactors {
        guard configuration.ropeScaling != nil else { return .plain }
        switch rule {
        case .perRun: return length <= configuration.originalContextLength ? .short : .long
        case .alwaysShort: return .short
        case .alwaysLong: return .long
        }
    }
}
