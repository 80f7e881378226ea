// The beginning of a text by length in bytes, as clients count the text of running answers.

extension String {
    /// The longest prefix of at most `utf8Count` bytes that splits no character.
    package func prefix(utf8Count: Int) -> String {
        var end =
            utf8.index(startIndex, offsetBy: max(0, utf8Count), limitedBy: endIndex) ?? endIndex
        while end > startIndex, end.samePosition(in: unicodeScalars) == nil {
            end = utf8.index(before: end)
        }
        return String(self[..<end])
    }
}
