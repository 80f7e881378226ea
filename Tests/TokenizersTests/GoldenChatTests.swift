// Compares chat prompts with the reference's.

import Checkpoints
import JSONText
import TestSupport
import Testing
import Tokenizers

@Suite("golden chats")
struct GoldenChatTests {
    @Test("the demo model's prompts are the reference's")
    func demo() throws {
        try check(.demo, GoldenFile.own("demo-chat.jsonl"))
    }

    @Test(
        "a real model's prompts are the reference's",
        .enabled(if: TestModel.hasShared, "needs ../shared with the models' tokenizers"),
        arguments: TestModel.shared
    )
    func shared(model: TestModel) throws {
        try check(model, GoldenFile.lines("\(model.folder)/golden_chat.jsonl"))
    }

    @Test(
        "the built-in templates are those of the families",
        .enabled(if: TestModel.hasShared, "needs ../shared with the models' tokenizers"),
        arguments: [TestModel.phi35Mini, .phi4Mini, .phi4]
    )
    func builtIn(model: TestModel) throws {
        let empty = try TemporaryFolder()
        let template = try ChatTemplate.load(
            folder: empty.path,
            tokenizer: model.tokenizer()
        )
        for line in try GoldenFile.lines("\(model.folder)/golden_chat.jsonl") {
            // phi-4's roles are ordinary text; the rest is in the prompt's text.
            let prompt = template.render(line.messages, addGenerationPrompt: line.asksForAnswer)
            expectSameBytes(prompt, try #require(line["prompt"]?.string))
        }
    }

    private func check(_ model: TestModel, _ lines: [JSONValue]) throws {
        let template = try model.template()
        let tokenizer = try model.tokenizer()
        let added = tokenizer.addedTokens.map {
            Array(tokenizer.decode([$0], keepSpecial: true).utf8)
        }
        #expect(lines.count == 60)
        for line in lines {
            let messages = line.messages
            let prompt = template.render(messages, addGenerationPrompt: line.asksForAnswer)
            expectSameBytes(prompt, try #require(line["prompt"]?.string))
            let ids = try #require(line["ids"]).tokens
            let reference = template.encode(
                messages,
                addGenerationPrompt: line.asksForAnswer,
                contents: .likeReference
            )
            #expect(reference.tokens == ids, "\(line)")

            let apart = template.encode(messages, addGenerationPrompt: line.asksForAnswer)
            let isOrdinary = !messages.contains { message in
                let text = Array((message.content + (message.tools ?? "")).utf8)
                return added.contains { text.contains($0) }
            }
            if isOrdinary { #expect(apart == reference, "\(line)") }
            #expect(apart.messageTokenCounts.count == messages.count)
            #expect(apart.messageTokenCounts.reduce(0, +) <= apart.tokens.count)
        }
    }
}

extension JSONValue {
    /// The messages of a golden chat; other fields and nulls are ignored.
    fileprivate var messages: [ChatMessage] {
        (self["messages"]?.array ?? []).map { message in
            ChatMessage(
                role: message["role"]?.string ?? "",
                content: message["content"]?.string ?? "",
                tools: message["tools"]?.string
            )
        }
    }

    fileprivate var asksForAnswer: Bool { self["add_generation_prompt"]?.bool ?? false }
}
