/// The version of Stoa.
public enum EngineVersion {
    /// The version in the format of Semantic Versioning.
    public static let text = "0.1.0"
}
