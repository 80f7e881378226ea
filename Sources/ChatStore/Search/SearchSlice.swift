// A stretch of time that a search looks at by itself: what is common is found in the newest stretch, and
// the index need not name all that is older.

import ChatProtocol
import FoundationEssentials

/// Messages whose identifiers lie between two others, with the months that the index has for them.
struct SearchSlice {
    /// Messages are made with identifiers of their time, by the clocks of several machines.
    static let clocksDifferAtMost: Int64 = 3600 * 1000

    /// The months' numbers, as the index counts; nil for all.
    let months: ClosedRange<Int>?
    /// The first identifier, where there is one.
    let first: MessageID?
    /// The first identifier that is too late, where there is one.
    let end: MessageID?

    /// All of the time.
    static let all = SearchSlice(months: nil, first: nil, end: nil)

    /// The stretches back from `time`, each several times as long as the one before. Each message is in
    /// one of them.
    /// - Parameters:
    ///   - count: how many stretches, two or three: each asks the index again.
    ///   - time: no message that is asked for is later.
    /// - Returns: the newest first.
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

    /// So long after a month's beginning that no message from there on belongs to the month before.
    private static func boundary(_ month: Int) -> MessageID {
        let start = Timestamp(startOfMonth: month).milliseconds + clocksDifferAtMost
        return .lowest(milliseconds: UInt64(max(0, start)))
    }
}

extension MessageID {
    /// The time that it bears.
    var time: Timestamp { Timestamp(milliseconds: Int64(milliseconds)) }
}

extension Timestamp {
    private static let utc = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }()

    /// The month's number since the year 0, as the index counts (UTC).
    var month: Int {
        let parts = Self.utc.dateComponents([.year, .month], from: date)
        return (parts.year ?? 0) * 12 + (parts.month ?? 1) - 1
    }

    /// The first moment of a month that is so numbered.
    init(startOfMonth month: Int) {
        let parts = DateComponents(year: month / 12, month: month % 12 + 1, day: 1)
        self.init(Self.utc.date(from: parts) ?? Date(timeIntervalSince1970: 0))
    }
}
