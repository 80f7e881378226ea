import Inference

/// The version of Stoa, for `stoa --version` and `welcome`.
public enum StoaVersion {
    /// Semantic version, as text.
    public static let text = EngineVersion.text
}
