// How far a pull is.

/// A pull's figures.
public struct PullProgress: Sendable, Hashable {
    /// What the pull does.
    public enum Phase: Sendable, Hashable {
        /// It asks the hub for the model's files.
        case listing
        /// It reads again what an earlier pull left unfinished.
        case checking
        /// It fetches.
        case downloading
        /// It waits before it tries again; nothing is fetched meanwhile where all connections wait.
        case waiting(Duration, reason: String)
        /// It checks a whole file and gives it its name.
        case finishing
        /// All files are there.
        case done
    }

    /// What the pull does.
    public var phase = Phase.listing
    /// The file that it is about.
    public var file: String?
    /// Bytes of all files that are in the cache or have arrived.
    public var bytesDone = 0
    /// Bytes of all files; 0 while they are not known.
    public var bytesTotal = 0
    /// How many bytes arrive, smoothed over some seconds; nil while nobody knows.
    public var bytesPerSecond: Double?

    /// What the user should know besides.
    public var note: String?

    /// A pull that has not begun.
    public init() {}

    /// The part that is done, 0 to 1.
    public var fraction: Double {
        bytesTotal == 0 ? 0 : Double(bytesDone) / Double(bytesTotal)
    }

    /// How long the rest takes at this speed; nil while nobody knows.
    public var secondsLeft: Double? {
        guard let bytesPerSecond, bytesPerSecond > 0, bytesTotal > 0 else { return nil }
        return Double(bytesTotal - bytesDone) / bytesPerSecond
    }
}
