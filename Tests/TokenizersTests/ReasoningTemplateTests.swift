// Templates of the forms of the reasoning models', in words of our own: what their authors' texts say cannot
// be here. Phi-4-reasoning and -plus have a fixed system prompt that asks for thinking, and drop others;
// Phi-4-mini-reasoning has a default one, to which others are appended, in a loop of its own.

import Checkpoints
import Testing
import ThinkingText
import Tokenizers

@Suite("templates of reasoning models")
struct ReasoningTemplateTests {
    private static let reasoning = """
        <|system|>Think in steps: <think> {Thought} </think> {Solution}.<|end|>\
        {% for message in messages %}{% if (message['role'] == 'user') %}\
        {{'<|user|>' + message['content'] + '<|end|>'}}\
        {% elif (message['role'] == 'assistant') %}{{'<|assistant|>'}}\
        {% generation %}{{message['content'] + '<|end|>'}}{% endgeneration %}\
        {% endif %}{% endfor %}{% if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}
        """
    private static let miniReasoning = """
        {{ '<|system|>You solve sums.' }}{% for message in messages %}\
        {% if message['role'] == 'system' %} {{ message['content'] }}\
        {% if 'tools' in message and message['tools'] is not none %}{{ '<|user|>' + message['tools'] }}\
        {% endif %}{% endif %}{% endfor %}{{ '<|end|>' }}\
        {% for message in messages %}{% if message['role'] != 'system' %}\
        {{ '<|' + message['role'] + '|>' + message['content'] + '<|end|>' }}{% endif %}{% endfor %}\
        {% if add_generation_prompt %}{{ '<|assistant|>' }}{% else %}{{ eos_token }}{% endif %}
        """

    private func template(_ source: String) throws -> ChatTemplate {
        try ChatTemplate(
            source,
            tokenizer: TestModel.demo.tokenizer(),
            bosToken: "",
            eosToken: "<|endoftext|>",
            path: "template"
        )
    }

    private let chat = [
        ChatMessage(role: "system", content: "Be brief."),
        ChatMessage(role: "user", content: "1 + 1?"),
        ChatMessage(role: "assistant", content: "2"),
        ChatMessage(role: "user", content: "2 + 2?"),
    ]

    @Test("Phi-4-reasoning's has its own system prompt instead of those that it is given")
    func fixedSystemPrompt() throws {
        let template = try template(Self.reasoning)
        #expect(template.asksForThinking && !template.writesSystemPrompts)
        #expect(
            template.render(chat, addGenerationPrompt: true)
                == "<|system|>Think in steps: <think> {Thought} </think> {Solution}.<|end|>"
                + "<|user|>1 + 1?<|end|><|assistant|>2<|end|><|user|>2 + 2?<|end|><|assistant|>"
        )
    }

    @Test("Phi-4-mini-reasoning's has its own system prompt before those that it is given")
    func defaultSystemPrompt() throws {
        let template = try template(Self.miniReasoning)
        #expect(!template.asksForThinking && template.writesSystemPrompts)
        #expect(
            template.render(chat, addGenerationPrompt: true)
                == "<|system|>You solve sums. Be brief.<|end|>"
                + "<|user|>1 + 1?<|end|><|assistant|>2<|end|><|user|>2 + 2?<|end|><|assistant|>"
        )
        #expect(
            template.render([chat[1]], addGenerationPrompt: true)
                == "<|system|>You solve sums.<|end|><|user|>1 + 1?<|end|><|assistant|>"
        )
    }

    @Test(
        "no answer begins within a thinking part, and the tags of the template's text are text",
        arguments: [reasoning, miniReasoning]
    )
    func tags(source: String) throws {
        let template = try template(source)
        let text = template.render(chat, addGenerationPrompt: true)
        #expect(text.hasSuffix("<|assistant|>"))
        let encoded = template.encode(chat, addGenerationPrompt: true)
        #expect(try TestModel.demo.tokenizer().decode(encoded.tokens, keepSpecial: true) == text)
        // Both write answers as they are given: the server gives them without thinking parts.
        let thought = chat + [ChatMessage(role: "assistant", content: "<think>2 + 2</think>4")]
        #expect(ThinkingParts.answer(of: thought[4].content) == "4")
        let prompt = template.render(thought, addGenerationPrompt: false)
        #expect(prompt.contains("<think>2 + 2</think>4"))
    }

    @Test("messages of a template with two loops are encoded together, those of one loop apart")
    func parts() throws {
        #expect(ChatTemplateParts(try template(Self.miniReasoning)) == nil)
        let template = try template(Self.reasoning)
        let parts = try #require(ChatTemplateParts(template))
        let apart = chat.enumerated().compactMap { index, message in
            parts.encode(message, isFirst: index == 0, isLast: index == chat.count - 1)
        }
        let whole = template.encode(chat, addGenerationPrompt: true).tokens
        #expect(parts.opening + apart.joined() + parts.closing == whole)
    }
}
