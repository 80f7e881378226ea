// The values of `format`. Each pattern has only texts that the format's definition allows, and not
// all of them: no leap second, no week date.

/// Formats of strings (JSON Schema validation, draft 2020-12, section 7.3).
enum StringFormat {
    /// The names of the formats that are held.
    static var names: [String] { patterns.keys.sorted() }

    /// The regular expression of a format, for the whole text; nil for one that is not held.
    static func pattern(_ name: String) -> String? { patterns[name] }

    /// Whether a format says how a text is shown, and restricts nothing.
    static func isDescription(_ name: String) -> Bool {
        ["binary", "password", "path", "file-path", "directory-path", "textarea"].contains(name)
    }

    private static let patterns: [String: String] = [
        "date": date,
        "time": time,
        "date-time": "\(date)T\(time)",
        "duration": duration,
        "uuid": "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
        "email":
            "[A-Za-z0-9_+-]{1,20}(\\.[A-Za-z0-9_+-]{1,20}){0,2}@\(label)(\\.\(label)){0,2}\\.[a-z]{2,10}",
        "hostname": "\(label)(\\.\(label)){0,6}",
        "ipv4": "\(byte)(\\.\(byte)){3}",
        "ipv6": "[0-9a-f]{1,4}(:[0-9a-f]{1,4}){7}",
        "uri": uri,
    ]

    /// RFC 3339, full-date, from the year 1000 on.
    private static let date = "(\(monthDays)|\(leapDay))"
    private static let monthDays =
        "[1-9][0-9]{3}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])"
        + "|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))"
    private static let leapDay =
        "([1-9][0-9](0[48]|[2468][048]|[13579][26])|([2468][048]|[13579][26])00)-02-29"
    /// RFC 3339, full-time.
    private static let time =
        "([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,6})?"
        + "(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])"
    /// RFC 3339, appendix A.
    private static let duration =
        "P([0-9]{1,4}W|[0-9]{1,4}D(\(durationTime))?|\(durationTime))"
    private static let durationTime = "T([0-9]{1,4}H([0-9]{1,2}M([0-9]{1,2}S)?)?|[0-9]{1,4}[MS])"
    /// A label of a host name (RFC 1123) of up to 20 characters.
    private static let label = "[a-z0-9]([a-z0-9-]{0,18}[a-z0-9])?"
    private static let byte = "(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
    /// RFC 3986 with a scheme of the web, without user, IP literal and percent-encoding.
    private static let uri =
        "https?://\(label)(\\.\(label)){0,6}(:[1-9][0-9]{0,3})?(/[A-Za-z0-9._~!$&'()*+,;=:@-]{0,100}){0,20}"
        + "(\\?[A-Za-z0-9._~!$&'()*+,;=:@/?-]{0,200})?(#[A-Za-z0-9._~!$&'()*+,;=:@/?-]{0,100})?"
}
