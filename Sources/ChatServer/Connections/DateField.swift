// The `Date` of responses, formatted once a second.

import ChatProtocol
import HTTPProtocol

/// The value of `Date` for a loop's responses.
final class DateField {
    private var seconds = Int.min
    private var formatted = ""

    /// The current time in HTTP's format.
    var text: String {
        let now = Int(Timestamp.now.milliseconds / 1000)
        if now != seconds {
            seconds = now
            formatted = HTTPDate.format(secondsSince1970: now)
        }
        return formatted
    }
}
