import Inference

/// The version of all of Stoa, as `stoa --version` and `welcome` say it.
public enum StoaVersion {
    /// Semantic versioning's text form.
    public static let text = EngineVersion.text
}
