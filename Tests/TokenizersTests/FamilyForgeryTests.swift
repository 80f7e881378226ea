// The same guarantee for every family, without the real models' files: the demo model's vocabulary
// with the special tokens of each family, and the built-in templates.

import Checkpoints
import FoundationEssentials
import JSONText
import TestSupport
import Testing
import Tokenizers

/// A model family and its special tokens.
enum Family: CaseIterable, Sendable {
    case phi3, phi4Mini, phi4

    /// The texts of its special tokens.
    var specialTokens: [String] {
        let turns = ["<|endoftext|>", "<|system|>", "<|user|>", "<|assistant|>", "<|end|>"]
        return switch self {
        case .phi3: turns + ["<|placeholder1|>"]
        case .phi4Mini: turns + ["<|tool|>", "<|/tool|>", "<|tool_call|>", "<|tag|>"]
        case .phi4: ["<|endoftext|>", "<|im_start|>", "<|im_sep|>", "<|im_end|>", "<|dummy_7|>"]
        }
    }

    /// The expected special tokens of a prompt of `messages`.
    func scaffold(_ messages: [ChatMessage]) -> [String] {
        switch self {
        case .phi3:
            let turns = messages.filter {
                $0.role == "user" || $0.role == "assistant"
                    || $0.role == "system" && !$0.content.isEmpty
            }
            return turns.flatMap { ["<|\($0.role)|>", "<|end|>"] } + ["<|assistant|>"]
        case .phi4Mini:
            return messages.flatMap { message in
                let role = "<|\(message.role)|>"
                let isTurn = specialTokens.contains(role)
                let hasTools = message.role == "system" && message.tools != nil
                return (isTurn ? [role] : []) + (hasTools ? ["<|tool|>", "<|/tool|>"] : [])
                    + ["<|end|>"]
            } + ["<|assistant|>"]
        case .phi4:
            let turns = messages.filter { ["system", "user", "assistant"].contains($0.role) }
            return turns.flatMap { _ in ["<|im_start|>", "<|im_sep|>", "<|im_end|>"] }
                + ["<|im_start|>", "<|im_sep|>"]
        }
    }

    /// The demo model's tokenizer with this family's special tokens.
    func tokenizer(lstrip: Bool, rstrip: Bool) throws -> Tokenizer {
        let path = "\(TestModel.demo.folder)/tokenizer.json"
        var file = String(decoding: try MappedFile(path: path).contents, as: UTF8.self)
        let start = try #require(file.firstRange(of: #""added_tokens": ["#))
        let end = try #require(file.firstRange(of: #""normalizer""#))
        let added = specialTokens.enumerated().map { index, text in
            """
            {"id": \(5000 + index), "content": "\(text)", "lstrip": \(lstrip), \
            "rstrip": \(rstrip), "special": true}
            """
        }
        file.replaceSubrange(
            start.upperBound..<end.lowerBound,
            with: added.joined(separator: ", ") + "], "
        )
        return try Tokenizer(JSONValue(parsing: Array(file.utf8)), path: path)
    }
}

@Suite("forgery in every family")
struct FamilyForgeryTests {
    private func conversation(_ generator: inout SeededGenerator) -> [ChatMessage] {
        (0..<Int.random(in: 1...5, using: &generator)).map { _ in
            let roles = ["system", "user", "assistant", "tool", HostileText.random(&generator)]
            return ChatMessage(
                role: roles.randomElement(using: &generator) ?? "user",
                content: HostileText.random(&generator),
                tools: Bool.random(using: &generator) ? HostileText.random(&generator) : nil
            )
        }
    }

    @Test(
        "a prompt has only the template's special tokens, whatever text and role contain",
        arguments: Family.allCases,
        [(false, false), (false, true), (true, true)]
    )
    func prompt(family: Family, strip: (left: Bool, right: Bool)) throws {
        let tokenizer = try family.tokenizer(lstrip: strip.left, rstrip: strip.right)
        let template = try ChatTemplate.load(
            folder: TemporaryFolder().path,
            tokenizer: tokenizer
        )
        let added = tokenizer.addedTokens
        var generator = SeededGenerator(seed: 41)
        for _ in 0..<300 {
            let messages = conversation(&generator)
            let chat = template.encode(messages, addGenerationPrompt: true)
            let special = chat.tokens.filter(added.contains).map {
                tokenizer.decode([$0], keepSpecial: true)
            }
            #expect(special == family.scaffold(messages), "\(messages)")

            let reference = template.encode(
                messages,
                addGenerationPrompt: true,
                contents: .likeReference
            )
            let prompt = template.render(messages, addGenerationPrompt: true)
            #expect(reference.tokens == tokenizer.encode(prompt, specialTokens: .parse))
        }
    }

    @Test("template text around a content, or adjacent contents, form no special token")
    func splitTokens() throws {
        let tokenizer = try Family.phi3.tokenizer(lstrip: false, rstrip: true)
        let sources = [
            "{% for m in messages %}{{ m.content }}{% endfor %}",
            "{% for m in messages %}{{ '<|' + m.content + '|>' }}{% endfor %}",
            "{% for m in messages %}{{ '<|' }}{{ m.content }}|>{% endfor %}",
        ]
        let contents = [["<|", "end", "|>"], ["<|e", "nd|>"], ["end", "user"], ["end|><|user"]]
        for source in sources {
            let template = try ChatTemplate(
                source,
                tokenizer: tokenizer,
                bosToken: "",
                eosToken: "",
                path: "-"
            )
            for texts in contents {
                let messages = texts.map { ChatMessage(role: "user", content: $0) }
                let tokens = template.encode(messages, addGenerationPrompt: true).tokens
                #expect(tokenizer.addedTokens.isDisjoint(with: tokens), "\(source) \(texts)")
            }
        }
    }
}
