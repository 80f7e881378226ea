// Dates as HTTP writes them, RFC 9110 section 5.6.7. The core has no clock: seconds come from outside.

/// The date format of HTTP's fields.
public enum HTTPDate {
    private static let dayNames = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let monthNames = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    private static let secondsPerDay = 86_400

    /// "Sun, 06 Nov 1994 08:49:37 GMT" for 784111777 seconds in UTC. What lies before year 1 or
    /// after year 9999 is brought to the nearer end: four digits are all that the format has.
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
