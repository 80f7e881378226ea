// Screens of terminals that tests compare as a whole.

extension TerminalWindow {
    /// Waits until the whole screen is as it was recorded.
    /// - Parameters:
    ///   - recorded: its lines, without empty ones at the end.
    ///   - values: what differs in each run, by the name that stands for it in braces.
    /// - Throws: `HarnessError` with both screens if it stays another one.
    func wait(for recorded: String, _ values: [String: String] = [:]) throws {
        let expected = values.reduce(recorded) { $0.replacing("{\($1.key)}", with: $1.value) }
        try wait("the recorded screen\n\(expected)\ninstead of this one") { lines in
            var shown = lines[...]
            while shown.last?.isEmpty == true { shown.removeLast() }
            return shown.joined(separator: "\n") == expected
        }
    }
}
