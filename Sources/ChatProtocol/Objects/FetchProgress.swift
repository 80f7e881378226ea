/// How far the fetching of a model is.
public struct FetchProgress: Codable, Hashable, Sendable {
    /// Bytes that are here.
    public var doneBytes: Int
    /// Bytes of all files; 0 while nobody knows.
    public var totalBytes: Int
    /// How many arrive each second; absent while nobody knows.
    public var bytesPerSecond: Double?
    /// How long the rest takes at that speed.
    public var secondsLeft: Double?
    /// What is done instead of fetching, or why nothing arrives, where that needs saying.
    public var note: String?

    /// Puts figures together.
    public init(
        doneBytes: Int = 0,
        totalBytes: Int = 0,
        bytesPerSecond: Double? = nil,
        secondsLeft: Double? = nil,
        note: String? = nil
    ) {
        self.doneBytes = doneBytes
        self.totalBytes = totalBytes
        self.bytesPerSecond = bytesPerSecond
        self.secondsLeft = secondsLeft
        self.note = note
    }

    /// The part that is here, 0 to 1.
    public var share: Double { totalBytes > 0 ? Double(doneBytes) / Double(totalBytes) : 0 }

    enum CodingKeys: String, CodingKey {
        case note
        case doneBytes = "done_bytes"
        case totalBytes = "total_bytes"
        case bytesPerSecond = "bytes_per_second"
        case secondsLeft = "seconds_left"
    }
}
