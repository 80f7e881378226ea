// A chat template, and roles and contents of messages, separated by zero bytes.

import Checkpoints
import Tokenizers

/// Reads a template, renders a conversation and encodes it. Called by libFuzzer for each input.
@c(LLVMFuzzerTestOneInput)
public func renderTemplate(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let parts = FuzzerInput(start, count).parts(atMost: 12).map(text)
    let template: ChatTemplate
    do throws(TokenizerError) {
        template = try ChatTemplate(
            parts[0],
            tokenizer: tokenizer,
            bosToken: "<s>",
            eosToken: "<|endoftext|>",
            path: "chat_template.jinja"
        )
    } catch {
        precondition(error.description.contains("chat_template.jinja"), "an error names its file")
        return 0
    }
    let messages = stride(from: 1, to: parts.count - 1, by: 2).map { index in
        ChatMessage(role: parts[index], content: parts[index + 1], tools: parts.last)
    }
    let chat = template.encode(messages, addGenerationPrompt: parts.count % 2 == 0)
    let segments = template.segments(messages, addGenerationPrompt: parts.count % 2 == 0)
    precondition(chat.tokens.filter(added.contains) == scaffoldTokens(segments), "a forged turn")
    return 0
}

/// The added tokens that the template itself wrote.
private func scaffoldTokens(_ segments: [ChatSegment]) -> [TokenID] {
    var scaffolds: [String] = []
    var isOpen = false
    for segment in segments {
        let isScaffold = segment.source == .scaffold
        if isScaffold, isOpen {
            scaffolds[scaffolds.count - 1] += segment.text
        } else if isScaffold {
            scaffolds.append(segment.text)
        }
        isOpen = isScaffold
    }
    return scaffolds.flatMap { tokenizer.encode($0, specialTokens: .parse) }
        .filter(added.contains)
}

/// A small tokenizer like Phi-3's.
private let tokenizer: Tokenizer = {
    do {
        return try Tokenizer.load(folder: "Tests/TokenizersTests/Golden/small")
    } catch {
        preconditionFailure("\(error)")
    }
}()
private let added = tokenizer.addedTokens
