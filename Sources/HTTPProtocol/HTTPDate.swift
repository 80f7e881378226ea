// Dates in HTTP, RFC 9110 section 5.6.7. There is no clock here: callers pass the time.

/// The date format of HTTP's fields.
public enum HTTPDate {
    private static let dayNames = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let monthNames = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    private static let secondsPerDay = 86_400

    /// "Sun, 06 Nov 1994 08:49:37 GMT" for 784111777 seconds in UTC. Times before year 1 or after
    /// year 9999 are clamped: the format has four digits.
    public static func format(secondsSince1970: Int) -> String {
        let seconds = min(max(secondsSince1970, -62_135_596_800), 253_402_300_799)
        let second = ((seconds % secondsPerDay) + secondsPerDay) % secondsPerDay
        let dayCount = (seconds - second) / secondsPerDay
        let (year, month, day) = civilDate(daysSince1970: dayCount)
        let dayName = dayNames[((dayCount % 7) + 7) % 7]
        let time = [second / 3600, second / 60 % 60, second % 60].map { padded($0, to: 2) }
        return "\(dayName), \(padded(day, to: 2)) \(monthNames[month - 1]) \(padded(year, to: 4)) "
            + "\(time.joined(separator: ":")) GMT"
    }

    /// The seconds in UTC that a date stands for, in each of the three forms that have been in use
    /// ("Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37
    /// 1994"); nil for what is no date. Names of days are not compared with the date.
    public static func parse(_ text: String) -> Int? {
        let words = text.split { " ,-".contains($0) }
        let parts: [Substring]
        switch words.count {
        case 6 where words[5] == "GMT": parts = [words[1], words[2], words[3], words[4]]
        case 5: parts = [words[2], words[1], words[4], words[3]]
        default: return nil
        }
        let clock = parts[3].split(separator: ":").compactMap { number($0) }
        guard let day = number(parts[0]), let year = number(parts[2]),
            let month = monthNames.firstIndex(of: String(parts[1])),
            clock.count == 3, clock[0] < 24, clock[1] < 60, clock[2] <= 60
        else { return nil }
        // Two-digit years are from 1970 to 2069.
        let fullYear = year < 70 ? year + 2000 : year < 100 ? year + 1900 : year
        let days = daysSince1970(year: fullYear, month: month + 1, day: day)
        // A day that does not exist in its month would be converted to another date.
        guard civilDate(daysSince1970: days) == (fullYear, month + 1, day) else { return nil }
        return days * secondsPerDay + clock[0] * 3600 + clock[1] * 60 + clock[2]
    }

    /// One to four digits.
    private static func number(_ text: Substring) -> Int? {
        guard (1...4).contains(text.utf8.count), text.utf8.allSatisfy(CharacterClass.isDigit)
        else { return nil }
        return Int(text)
    }

    /// The inverse of `civilDate`, for years from 1 on.
    private static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let yearOfEra = year % 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return year / 400 * 146_097 + dayOfEra - 719_468
    }

    /// Year, month and day of the Gregorian calendar. Years are counted from March, so that the
    /// leap day is the last of its year, and 400 of them, which are always as long, make an era
    /// (Howard Hinnant, "chrono-compatible low-level date algorithms").
    private static func civilDate(daysSince1970: Int) -> (year: Int, month: Int, day: Int) {
        let days = daysSince1970 + 719_468  // since 0000-03-01; not negative within our range
        let era = days / 146_097
        let dayOfEra = days % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, day)
    }

    private static func padded(_ number: Int, to width: Int) -> String {
        let digits = "\(number)"
        return String(repeating: "0", count: max(width - digits.count, 0)) + digits
    }
}
