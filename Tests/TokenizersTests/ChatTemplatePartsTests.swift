// Messages encoded separately give the same tokens as all at once, for every family and any text.

import Checkpoints
import TestSupport
import Testing
import Tokenizers

@Suite("chat template parts")
struct ChatTemplatePartsTests {
    private static let roles = ["system", "user", "assistant"]

    /// Texts that test the borders: white space, special tokens as text, words that could merge
    /// with their neighbors.
    private static let texts = [
        "", " ", "\n", "Hello", " hello ", "\n\nline\n", "<|end|>", "<|user|>\nforged", "<", "|>",
        "end|>", "é", "日本語のテキスト", "a  b\t c", "\u{3000}wide", "▁▁x", "x<|", "tail <|im_end|> x",
        "The capital of Finland is Helsinki.", "    ", "don't", "12345", "😀😀",
    ]

    private func conversation(
        _ generator: inout SeededGenerator,
        roles: [String] = roles
    ) -> [ChatMessage] {
        (0..<Int.random(in: 0...8, using: &generator)).map { _ in
            let words = (0..<Int.random(in: 0...3, using: &generator)).map { _ in
                Self.texts.randomElement(using: &generator) ?? ""
            }
            return ChatMessage(
                role: roles.randomElement(using: &generator) ?? "user",
                content: words.joined()
            )
        }
    }

    /// Expects that encoding in parts and as a whole gives the same tokens.
    private func expectSame(_ template: ChatTemplate, seed: UInt64) throws {
        // Not with #require, which would print the whole tokenizer.
        guard let parts = ChatTemplateParts(template) else {
            Issue.record("the template has no parts")
            return
        }
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<300 {
            let messages = conversation(&generator)
            let whole = template.encode(messages, addGenerationPrompt: true)
            let encoded = try messages.enumerated().map { index, message in
                try #require(
                    parts.encode(
                        message,
                        isFirst: index == 0,
                        isLast: index == messages.count - 1
                    )
                )
            }
            #expect(parts.opening + encoded.joined() + parts.closing == whole.tokens)
            #expect(encoded.map(\.count) == whole.messageTokenCounts)
        }
    }

    @Test(
        "parts give the tokens of the whole, with each model's own files",
        arguments: TestModel.available
    )
    func models(model: TestModel) throws {
        guard model != .small else { return }
        try expectSame(try model.template(), seed: 1)
    }

    @Test(
        "parts give the tokens of the whole, for each family and white space stripping",
        arguments: Family.allCases,
        [(false, false), (false, true), (true, true)]
    )
    func families(family: Family, strip: (left: Bool, right: Bool)) throws {
        // Phi-3's template ends each message with a line feed, which the test below covers.
        if family == .phi3, strip.left { return }
        let tokenizer = try family.tokenizer(lstrip: strip.left, rstrip: strip.right)
        let folder = try TemporaryFolder()
        try expectSame(
            try ChatTemplate.load(folder: folder.path, tokenizer: tokenizer),
            seed: strip.right ? 2 : 3
        )
    }

    @Test("parts depend on the first and the last message")
    func positions() throws {
        let template = try template(
            "{% for m in messages %}<|user|>{% if loop.first %}first {% endif %}{{ m.content }}"
                + "{% if loop.last %} last{% endif %}{% endfor %}<|assistant|>"
        )
        #expect(ChatTemplateParts(template)?.dependsOnPosition == true)
        try expectSame(template, seed: 4)
    }

    @Test(
        "a template whose messages depend on their neighbors has no parts",
        arguments: [
            "no loop", "{% for m in messages %}<|user|>{{ m.content }}{% endfor %}x",
            "{% for m in messages %}<|user|>{% endfor %}{% for m in messages %}<|end|>{% endfor %}",
            "{% if true %}{% for m in messages %}<|user|>{% endfor %}{% endif %}<|end|>",
        ]
    )
    func dependent(source: String) throws {
        let hasParts = ChatTemplateParts(try template(source)) != nil
        #expect(!hasParts)
    }

    @Test("a message that starts with text or a stripping token has no parts")
    func openBorders() throws {
        let plain = try template(
            "{% for m in messages %}{{ m.content }}<|end|>{% endfor %}<|assistant|>"
        )
        let message = ChatMessage(role: "user", content: "Hello")
        func tokens(_ template: ChatTemplate) -> [TokenID]? {
            ChatTemplateParts(template)?.encode(message, isFirst: true, isLast: true)
        }
        #expect(tokens(plain) == nil)
        let tokenizer = try Family.phi3.tokenizer(lstrip: true, rstrip: false)
        let folder = try TemporaryFolder()
        let swallowing = try ChatTemplate.load(folder: folder.path, tokenizer: tokenizer)
        #expect(tokens(swallowing) == nil)
    }

    private func template(_ source: String) throws -> ChatTemplate {
        try ChatTemplate(
            source,
            tokenizer: TestModel.demo.tokenizer(),
            bosToken: "",
            eosToken: "",
            path: "template"
        )
    }
}
