// Whether a command shows what a reasoning model thinks.

import ArgumentParser

/// `--no-thinking`.
struct ThinkingArguments: ParsableArguments {
    @Flag(help: "Leave out what a reasoning model thinks before it answers.")
    var noThinking = false

    /// Whether it is shown on a terminal.
    var isShown: Bool { !noThinking }
}
