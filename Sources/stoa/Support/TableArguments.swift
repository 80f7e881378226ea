// Prints results as a table or as JSON.

import ArgumentParser
import TerminalText

/// `--json`, or else a table.
struct TableArguments: ParsableArguments {
    @Flag(help: "Print JSON.")
    var json = false

    /// Prints rows below their headings, or `value` as JSON.
    func show(_ headings: [String], _ rows: [[String]], json value: some Encodable) throws {
        try show([headings] + rows, json: value)
    }

    /// Prints rows, or `value` as JSON.
    func show(_ rows: [[String]], json value: some Encodable) throws {
        guard !json else { return try JSONOutput.print(value) }
        for line in Table.lines(rows) { StandardStreams.print("\(line)") }
    }
}
