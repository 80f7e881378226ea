// The progress of a pull.

/// A pull's figures.
public struct PullProgress: Sendable, Hashable {
    /// The phase of a pull.
    public enum Phase: Sendable, Hashable {
        /// Requesting the model's list of files.
        case listing
        /// Verifying pieces that an earlier pull left.
        case checking
        /// Fetching.
        case downloading
        /// Waiting before a retry; if all connections wait, nothing is fetched.
        case waiting(Duration, reason: PullDelay)
        /// Verifying a complete file and renaming it.
        case finishing
        /// All files are complete.
        case done
    }

    /// The current phase.
    public var phase = Phase.listing
    /// The file that the phase is about.
    public var file: String?
    /// Bytes of all files that are on disk or received.
    public var bytesDone = 0
    /// Bytes of all files; 0 if not known yet.
    public var bytesTotal = 0
    /// Receive rate in bytes per second, smoothed over some seconds; nil if not known yet.
    public var bytesPerSecond: Double?

    /// A note to the user.
    public var note: String?

    /// A pull that has not started.
    public init() {}

    /// The fraction done, 0 to 1.
    public var fraction: Double {
        bytesTotal == 0 ? 0 : Double(bytesDone) / Double(bytesTotal)
    }

    /// Estimated seconds left at the current rate; nil if not known yet.
    public var secondsLeft: Double? {
        guard let bytesPerSecond, bytesPerSecond > 0, bytesTotal > 0 else { return nil }
        return Double(bytesTotal - bytesDone) / bytesPerSecond
    }
}
