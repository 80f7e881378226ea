// Asks for confirmation before an irreversible action.

import ArgumentParser

/// `--yes`, or else a question.
struct ConfirmationArguments: ParsableArguments {
    @Flag(help: "Do not ask for confirmation.")
    var yes = false

    /// Asks whether to continue, unless `--yes` was given.
    /// - Parameter question: for example "Delete the account ann?".
    /// - Throws: `ValidationError` if there is no terminal, `CommandFailure` if the answer is not
    ///   yes.
    func confirm(_ question: String) throws {
        if yes { return }
        guard Terminal.isInput else {
            throw ValidationError("this cannot be undone: confirm with --yes")
        }
        StandardStreams.writeError("\(TerminalSanitizer.clean(question)) [y/N] ")
        guard ["y", "yes"].contains(readLine(strippingNewline: true)?.lowercased()) else {
            throw CommandFailure(.interrupted, "nothing was changed")
        }
    }
}
