// `stoa model detokenize`.

import ArgumentParser
import Checkpoints
import Tokenizers

/// Token ids to texts.
struct DetokenizeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "detokenize",
        abstract: "Turn token ids into texts, line by line.",
        discussion: """
            A line is an array of ids, its answer a JSON string. Ids without a token are left out. \
            \(JSONLines.help)
            """
    )

    @Argument(help: "The model's folder; only its tokenizer.json is read.")
    var folder: String

    @Flag(help: "Show special tokens by their names, instead of leaving them out.")
    var keepSpecial = false

    func run() throws {
        let tokenizer = try ModelFolder(folder).tokenizer()
        try JSONLines.answer { line throws(LineError) in
            tokenizer.decode(try line.tokens(), keepSpecial: keepSpecial)
        }
    }
}
