// How commands for scripts print.

import ArgumentParser
import ChatProtocol
import TerminalText

/// `--json` and `--quiet`.
struct OutputArguments: ParsableArguments {
    @Flag(help: "Print JSON, one object per line.")
    var json = false

    @Flag(name: .shortAndLong, help: "Print no notes on standard error, only errors.")
    var quiet = false

    /// Prints an object on a line of its own.
    func print(_ value: some Encodable) {
        StandardStreams.print(json: WireEncoding.text(value))
    }

    /// Prints a note on standard error.
    func note(_ text: SafeText) {
        if !quiet { StandardStreams.printError(text) }
    }
}
