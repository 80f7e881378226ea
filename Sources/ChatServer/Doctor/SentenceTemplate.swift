// Sentences with values in them.

/// A sentence with `{names}` where values stand.
package enum SentenceTemplate {
    /// Puts values in the places of their names. Names without a value stay, and braces in a value
    /// are only text.
    package static func fill(_ template: String, _ values: [String: String]) -> String {
        let parts = template.split(separator: "{", omittingEmptySubsequences: false)
        return parts.dropFirst().reduce(String(parts[0])) { text, part in
            guard let end = part.firstIndex(of: "}"), let value = values[String(part[..<end])]
            else { return "\(text){\(part)" }
            return text + value + part[part.index(after: end)...]
        }
    }
}
