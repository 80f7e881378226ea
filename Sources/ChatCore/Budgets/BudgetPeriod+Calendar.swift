// Days and months in UTC, by the proleptic Gregorian calendar: no time zone, no locale.

public import ChatProtocol

extension BudgetPeriod {
    private static let dayLength: Int64 = 86_400_000

    /// The start of the next day or month.
    /// - Parameter time: a time within the current one.
    /// - Returns: the first millisecond of the next one.
    public func next(after time: Timestamp) -> Timestamp {
        let day = Self.floor(time.milliseconds, Self.dayLength)
        switch self {
        case .day: return Timestamp(milliseconds: (day + 1) * Self.dayLength)
        case .month:
            let (year, month) = Self.month(ofDay: day)
            let next = Self.firstDay(month == 12 ? year + 1 : year, month == 12 ? 1 : month + 1)
            return Timestamp(milliseconds: next * Self.dayLength)
        }
    }

    private static func floor(_ number: Int64, _ divisor: Int64) -> Int64 {
        (number - (number % divisor + divisor) % divisor) / divisor
    }

    /// Days from 1970-01-01 to the first of a month. Years are counted from March, so that a leap
    /// day is the last day of a year; 400 years have 146,097 days.
    private static func firstDay(_ year: Int64, _ month: Int64) -> Int64 {
        let year = month < 3 ? year - 1 : year
        let era = floor(year, 400)
        let yearOfEra = year - era * 400
        // From March on, every five months have 153 days.
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
            - 719_468
    }

    /// The month of a day that is counted from 1970-01-01.
    private static func month(ofDay day: Int64) -> (year: Int64, month: Int64) {
        var year = 1970 + floor(day, 366)
        while firstDay(year + 1, 1) <= day { year += 1 }
        var month: Int64 = 1
        while month < 12, firstDay(year, month + 1) <= day { month += 1 }
        return (year, month)
    }
}
