// How far a pull is.

/// A pull's figures.
public struct PullProgress: Sendable {
    /// Bytes of all files.
    public var totalBytes: Int
    /// Bytes that are in the cache.
    public var doneBytes: Int
    /// Bytes that this pull received.
    public var receivedBytes = 0
    /// How long the pull has been going on.
    public var elapsed: Duration = .zero

    /// One line: bytes, percent, speed, time left.
    public var line: String {
        let percent = totalBytes == 0 ? 100 : doneBytes * 100 / totalBytes
        var text = "\(doneBytes / 1_000_000) of \(totalBytes / 1_000_000) MB, \(percent) %"
        let seconds = elapsed / .seconds(1)
        if receivedBytes > 0, seconds > 0.5 {
            let speed = Double(receivedBytes) / seconds
            let left = Int((Double(totalBytes - doneBytes) / speed).rounded(.up))
            text +=
                ", \((speed / 100_000).rounded() / 10) MB/s, \(left / 60) min \(left % 60) s left"
        }
        return text
    }
}
