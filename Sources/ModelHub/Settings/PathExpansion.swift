// Expands "~" and "$VARIABLE" in paths from the environment, as Python does.

/// Expands paths with the variables of an environment.
struct PathExpansion {
    let environment: [String: String]

    /// `path` with a leading "~" replaced by HOME, and `$NAME` and `${NAME}` by their values.
    /// Unknown variables stay as they are.
    func expand(_ path: String) -> String {
        var text = path[...]
        var expanded = ""
        if text == "~" || text.hasPrefix("~/"), let home = environment["HOME"] {
            expanded = home
            text = text.dropFirst()
        }
        while let dollar = text.firstIndex(of: "$") {
            expanded += text[..<dollar]
            text = text[dollar...]
            let (name, written) = variable(at: text)
            expanded += name.flatMap { environment[$0] } ?? String(written)
            text = text[written.endIndex...]
        }
        return expanded + text
    }

    /// The variable that `text` begins with, and its spelling there.
    private func variable(at text: Substring) -> (name: String?, written: Substring) {
        let rest = text.dropFirst()
        if rest.first == "{" {
            guard let end = rest.firstIndex(of: "}") else { return (nil, text.prefix(1)) }
            return (String(rest[..<end].dropFirst()), text[...end])
        }
        let name = rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
        return (name.isEmpty ? nil : String(name), text[..<name.endIndex])
    }
}
