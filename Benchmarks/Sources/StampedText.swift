// Words that contain the time at which they were written: a reader in any process of this machine can
// measure their latency.

import Glibc

/// The text of simulated answers whose delivery is timed.
enum StampedText {
    /// Precedes the time. It occurs nowhere else in a frame.
    private static let mark = Array("~~".utf8)
    private static let digitCount = 20
    /// Bytes of each word. With 25 of them a second, a consumer that does not read has filled what
    /// the kernel and the server buffer for it within a quarter of a minute.
    private static let byteCount = 800

    /// The clock that all processes share, in nanoseconds.
    static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// The answer's word number `number`, written now.
    static func word(_ number: Int) -> String {
        let digits = String(now)
        let text =
            "~~" + String(repeating: "0", count: digitCount - digits.count) + digits
            + " word \(number) "
        return text + String(repeating: "x", count: byteCount - text.utf8.count - 1) + " "
    }

    /// When the last word in `frame` was written; nil if there is none.
    static func time(in frame: UnsafeRawBufferPointer) -> Int64? {
        var index = frame.count - mark.count - digitCount
        while index >= 0 {
            if frame[index] == mark[0], frame[index + 1] == mark[1] {
                var time: Int64 = 0
                for digit in frame[(index + mark.count)...].prefix(digitCount) {
                    time = time &* 10 &+ Int64(digit &- UInt8(ascii: "0"))
                }
                return time
            }
            index -= 1
        }
        return nil
    }
}
