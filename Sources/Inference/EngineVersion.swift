/// The version of Stoa, of which the engine is a part.
public enum EngineVersion {
    /// Semantic versioning's text form.
    public static let text = "0.1.0"
}
