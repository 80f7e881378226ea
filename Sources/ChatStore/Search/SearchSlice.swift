// A time slice of a search: common words are found in the newest slice, and the index need not
// return all older messages.

import ChatProtocol
import FoundationEssentials

/// Messages with ids between two others, with the corresponding months in the index.
struct SearchSlice {
    /// Messages have ids of their creation time, by the clocks of several machines.
    static let clocksDifferAtMost: Int64 = 3600 * 1000

    /// The months' numbers in the index; nil for all.
    let months: ClosedRange<Int>?
    /// The first id, if any.
    let first: MessageID?
    /// The first id after the slice, if any.
    let end: MessageID?

    /// All times.
    static let all = SearchSlice(months: nil, first: nil, end: nil)

    /// Slices backwards from `time`, each several times as long as the previous one. Each message
    /// is in exactly one of them.
    /// - Parameters:
    ///   - count: number of slices, two or three: each queries the index again.
    ///   - time: no later message is requested.
    /// - Returns: the slices, newest first.
    static func slices(_ count: Int, before time: Timestamp) -> [SearchSlice] {
        let near = time.month - 1
        let newest = SearchSlice(months: near...near + 2, first: boundary(near), end: nil)
        guard count > 2 else {
            return [newest, SearchSlice(months: nil, first: nil, end: boundary(near))]
        }
        let far = near - 6
        return [
            newest, SearchSlice(months: far...near, first: boundary(far), end: boundary(near)),
            SearchSlice(months: nil, first: nil, end: boundary(far)),
        ]
    }

    /// An id late enough after a month's start that no message after it belongs to the previous
    /// month.
    private static func boundary(_ month: Int) -> MessageID {
        let start = Timestamp(startOfMonth: month).milliseconds + clocksDifferAtMost
        return .lowest(milliseconds: UInt64(max(0, start)))
    }
}

extension MessageID {
    /// The time in the id.
    var time: Timestamp { Timestamp(milliseconds: Int64(milliseconds)) }
}

extension Timestamp {
    private static let utc = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }()

    /// The month's number since the year 0, as in the index (UTC).
    var month: Int {
        let parts = Self.utc.dateComponents([.year, .month], from: date)
        return (parts.year ?? 0) * 12 + (parts.month ?? 1) - 1
    }

    /// The start of the month with that number.
    init(startOfMonth month: Int) {
        let parts = DateComponents(year: month / 12, month: month % 12 + 1, day: 1)
        self.init(Self.utc.date(from: parts) ?? Date(timeIntervalSince1970: 0))
    }
}
