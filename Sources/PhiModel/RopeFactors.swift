// LongRoPE's two factor sets, and the rule that chooses one of them for a run.

import Checkpoints

/// How a sequence's queries and keys are rotated.
///
/// Keys rotated with one set mean nothing to queries rotated with the other, so a cache keeps the
/// set that it was made with, and a sequence that changes its set is read anew.
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

/// How a run of a LongRoPE model gets its factor set: once, at its admission, for the longest that
/// it may become.
public enum RopeRule: String, Codable, Sendable, Hashable, CaseIterable {
    /// Short where prompt and new tokens stay within the original context, else long, as the
    /// model's authors trained it. transformers decides the same way, but again at each token.
    case perRun = "per-run"
    /// Short at every length; for comparisons.
    case alwaysShort = "always-short"
    /// Long at every length, as mlx-lm and MLX Swift LM have it.
    case alwaysLong = "always-long"
}

extension PhiModel {
    /// The factor set of a run, for `makeCache`.
    /// - Parameters:
    ///   - length: the most tokens that the sequence may have, prompt and answer.
    ///   - rule: what decides.
    /// - Returns: `.plain` for a model without LongRoPE, whatever the rule; else short or long.
    public func ropeFactors(forLength length: Int, rule: RopeRule = .perRun) -> RopeFactors {
        guard configuration.ropeScaling != nil else { return .plain }
        switch rule {
        case .perRun: return length <= configuration.originalContextLength ? .short : .long
        case .alwaysShort: return .short
        case .alwaysLong: return .long
        }
    }
}
