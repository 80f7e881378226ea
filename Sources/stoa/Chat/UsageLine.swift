// How much somebody has used, as a line of text.

package import ChatProtocol

/// What was used of a day or a month, for people.
package enum UsageLine {
    /// The line.
    /// - Parameters:
    ///   - name: what to call the time, at the line's beginning.
    ///   - use: the figures.
    /// - Returns: the line, without its end.
    package static func text(_ name: String, _ use: TokenUse) -> String {
        var line = "\(name): \(grouped(use.used))"
        if let limit = use.limit { line += " of \(grouped(limit))" }
        line += " tokens used"
        if use.reserved > 0 { line += ", \(grouped(use.reserved)) reserved" }
        return use.limit == nil ? line : line + "; begins anew at \(use.resetsAt)"
    }

    /// A number with a comma before every third digit from its end.
    private static func grouped(_ number: Int64) -> String {
        let digits = String(number)
        return digits.enumerated().map { index, digit in
            let isGap = index > 0 && (digits.count - index) % 3 == 0
            return (isGap ? "," : "") + String(digit)
        }.joined()
    }
}
