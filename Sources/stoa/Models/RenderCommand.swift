// `stoa model render`.

import ArgumentParser
import Checkpoints
import Tokenizers

/// Renders conversations to prompts.
struct RenderCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "render",
        abstract: "Convert conversations to prompts, line by line.",
        discussion: """
            Input: {"messages": [{"role", "content"}], "add_generation_prompt": true}; output: \
            {"prompt", "ids"}. The IDs are what Stoa gives a model: only the template's own special \
            tokens are special tokens, so no message can forge a turn. A message may have "tools", a \
            string. Content that is null or missing is empty; "add_generation_prompt" is false by \
            default; other fields are ignored. \(JSONLines.help)
            """
    )

    @Argument(help: "\(ModelArgument.help) Only its tokenizer and chat template are read.")
    var folder: String

    @Flag(
        help: """
            Parse special tokens in messages, as transformers does, which encodes a prompt as one \
            text.
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
