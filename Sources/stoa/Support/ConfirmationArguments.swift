// Asks for confirmation before an action that is irreversible, or changes something for everybody.

import ArgumentParser
import TerminalText

/// `--yes`, or else a question.
struct ConfirmationArguments: ParsableArguments {
    @Flag(help: "Do not ask for confirmation.")
    var yes = false

    /// Asks whether to continue, unless `--yes` was given.
    /// - Parameters:
    ///   - question: for example "Delete the account ann?".
    ///   - reason: why it has to be confirmed.
    /// - Throws: `ValidationError` if there is no terminal, `CommandFailure` if the answer is not
    ///   yes.
    func confirm(_ question: String, because reason: String = "this cannot be undone") throws {
        if yes { return }
        guard Terminal.isInput else {
            throw ValidationError("\(reason): confirm with --yes")
        }
        StandardStreams.writeError("\(question) [y/N] ")
        guard ["y", "yes"].contains(readLine(strippingNewline: true)?.lowercased()) else {
            throw CommandFailure(.interrupted, "nothing was changed")
        }
    }
}
