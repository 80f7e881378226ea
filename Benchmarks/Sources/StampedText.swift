// Words that say when they were written: whoever reads an answer of them, in any process of this machine,
// knows how long its end was on the way.

import Glibc

/// The text of simulated answers whose delivery is timed.
enum StampedText {
    /// Stands before the time. It is nowhere else in a frame.
    private static let mark = Array("~~".utf8)
    private static let digitCount = 20
    /// So long is each word, so that an answer of a minute is longer than what may wait for its reader.
    private static let byteCount = 200

    /// The time that all processes share, in nanoseconds.
    static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// A word that is written now, as the answer's `number`th.
    static func word(_ number: Int) -> String {
        let digits = String(now)
        let text =
            "~~" + String(repeating: "0", count: digitCount - digits.count) + digits
            + " word \(number) "
        return text + String(repeating: "x", count: byteCount - text.utf8.count - 1) + " "
    }

    /// When the last word in `frame` was written; nil where there is none.
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
