// The beginning of a text, measured in bytes, as readers of growing answers count.

extension String {
    /// The longest beginning of at most `utf8Count` bytes that splits no character.
    package func prefix(utf8Count: Int) -> String {
        var end =
            utf8.index(startIndex, offsetBy: max(0, utf8Count), limitedBy: endIndex) ?? endIndex
        while end > startIndex, end.samePosition(in: unicodeScalars) == nil {
            end = utf8.index(before: end)
        }
        return String(self[..<end])
    }
}
