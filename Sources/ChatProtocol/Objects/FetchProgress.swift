/// The progress of a model's download.
public struct FetchProgress: Codable, Hashable, Sendable {
    /// Bytes downloaded.
    public var doneBytes: Int
    /// Bytes of all files; 0 while unknown.
    public var totalBytes: Int
    /// Bytes per second; absent while unknown.
    public var bytesPerSecond: Double?
    /// Estimated seconds left at that speed.
    public var secondsLeft: Double?
    /// What happens instead of downloading, or why nothing arrives, if there is something to say.
    public var note: String?
    /// The note's code.
    public var noteCode: SentenceCode?

    /// Creates the figures.
    public init(
        doneBytes: Int = 0,
        totalBytes: Int = 0,
        bytesPerSecond: Double? = nil,
        secondsLeft: Double? = nil,
        note: String? = nil,
        noteCode: SentenceCode? = nil
    ) {
        self.doneBytes = doneBytes
        self.totalBytes = totalBytes
        self.bytesPerSecond = bytesPerSecond
        self.secondsLeft = secondsLeft
        self.note = note
        self.noteCode = noteCode
    }

    /// The downloaded share, 0 to 1.
    public var share: Double { totalBytes > 0 ? Double(doneBytes) / Double(totalBytes) : 0 }

    enum CodingKeys: String, CodingKey {
        case note
        case noteCode = "note_code"
        case doneBytes = "done_bytes"
        case totalBytes = "total_bytes"
        case bytesPerSecond = "bytes_per_second"
        case secondsLeft = "seconds_left"
    }
}
