/// A setting that is on or off.
public enum Switch: String, Sendable, CaseIterable {
    /// Off.
    case off
    /// On.
    case on
}
