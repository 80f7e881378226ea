// `stoa model render`.

import ArgumentParser
import Checkpoints
import Tokenizers

/// Conversations to prompts.
struct RenderCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "render",
        abstract: "Turn conversations into prompts, line by line.",
        discussion: """
            A line is {"messages": [{"role", "content"}], "add_generation_prompt": true}, its answer \
            {"prompt", "ids"}. The ids are what Stoa gives a model: only the template's own special \
            tokens are special tokens, so that no message can forge a turn, and one that holds the \
            text of a special token has it spelled out. A message may have "tools", a string; a \
            content that is null or missing is empty; other fields are passed over. \
            "add_generation_prompt" is false where it is missing. \(JSONLines.help)
            """
    )

    @Argument(help: "The model's folder; only its tokenizer and chat template are read.")
    var folder: String

    @Flag(
        help: """
            Take special tokens in messages for what they are, as the reference does, which encodes \
            a prompt as one text.
            """
    )
    var parseSpecial = false

    func run() throws {
        let template = try ModelFolder(folder).template()
        try JSONLines.answer { line throws(LineError) in
            let conversation = try RenderedConversation(line)
            return conversation.rendered(
                by: template,
                contents: parseSpecial ? .likeReference : .asText
            )
        }
    }
}
