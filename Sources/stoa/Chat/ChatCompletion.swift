// Completes slash commands and their arguments, as a value.

/// What can be completed.
package struct ChatCompletion {
    private let titles: [String]
    private let models: [String]

    /// Completes with names of conversations and models.
    package init(titles: [String], models: [String]) {
        self.titles = titles
        self.models = models
    }

    /// Completes the text before the cursor.
    package func complete(_ text: String) -> TextCompletion {
        guard text.hasPrefix("/"), !text.contains("\n") else { return .none }
        guard let space = text.firstIndex(of: " ") else {
            return complete(
                String(text.dropFirst()),
                among: ChatCommand.names,
                ending: " "
            )
        }
        let rest = String(text[text.index(after: space)...])
        return switch text[..<space] {
        case "/open": complete(rest, among: titles, ending: "")
        case "/model": complete(rest, among: models, ending: "")
        case "/settings": complete(rest, among: SettingsLine.names.map { "\($0)=" }, ending: "")
        default: .none
        }
    }

    private func complete(
        _ start: String,
        among all: [String],
        ending: String
    ) -> TextCompletion {
        let found = all.filter { $0.lowercased().hasPrefix(start.lowercased()) }
        guard let first = found.first else { return .none }
        if found.count == 1 { return .replace(start.count, first + ending) }
        let common = found.dropFirst().reduce(first) { $0.commonPrefix(with: $1) }
        return common.count > start.count ? .replace(start.count, common) : .choices(found)
    }
}

extension String {
    fileprivate func commonPrefix(with other: String) -> String {
        String(zip(self, other).prefix { $0 == $1 }.map(\.0))
    }
}
