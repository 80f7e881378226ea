// A line of text about token usage.

package import ChatProtocol

/// Formats the usage of a day or a month.
package enum UsageLine {
    /// The line.
    /// - Parameters:
    ///   - name: the name of the period, at the start of the line.
    ///   - use: the usage.
    /// - Returns: the line, without its end.
    package static func text(_ name: String, _ use: TokenUse) -> String {
        var line = "\(name): \(grouped(use.used))"
        if let limit = use.limit { line += " of \(grouped(limit))" }
        line += " tokens used"
        if use.reserved > 0 { line += ", \(grouped(use.reserved)) reserved" }
        return use.limit == nil ? line : line + "; resets at \(use.resetsAt)"
    }

    /// A number with a comma as thousands separator.
    private static func grouped(_ number: Int64) -> String {
        let digits = String(number)
        return digits.enumerated().map { index, digit in
            let isGap = index > 0 && (digits.count - index) % 3 == 0
            return (isGap ? "," : "") + String(digit)
        }.joined()
    }
}
