// The template language: its meaning, and what is refused.

import TestSupport
import Testing
import Tokenizers

@Suite("chat templates")
struct ChatTemplateTests {
    private static let messages = [
        ChatMessage(role: "system", content: "S"), ChatMessage(role: "user", content: "U"),
    ]

    private func template(_ source: String) throws -> ChatTemplate {
        try ChatTemplate(
            source,
            tokenizer: TestModel.demo.tokenizer(),
            bosToken: "B",
            eosToken: "E",
            path: "template"
        )
    }

    /// Sources with what the reference (jinja2 3.1, trim_blocks and lstrip_blocks) renders.
    private static let rendered: [(source: String, text: String)] = [
        ("", ""),
        ("a\n", "a"),
        ("a\n\n", "a\n"),
        ("a\r\nb", "a\nb"),
        ("{{ bos_token }}x{{ eos_token }}", "BxE"),
        ("{{ 'a\\n\\'\\\\' + \"b\" }}", "a\n'\\b"),
        ("{# no\n {{ #}x", "x"),
        ("{# no #}\nx", "x"),
        ("  {% if true %}\n  x\n  {% endif %}\ny", "  x\ny"),
        ("a {% if true %} b {% endif %} c", "a  b  c"),
        ("a {%- if true -%} b {%- endif -%} c", "abc"),
        ("a\n  {{ 'x' }}\n b", "a\n  x\n b"),
        ("a\n {{- 'x' -}} \n b", "axb"),
        ("a\n  {%+ if true %}x{% endif +%}\nb", "a\n  x\nb"),
        (
            "{% for m in messages %}{{ m['role'] + ':' + m.content }};{% endfor %}",
            "system:S;user:U;"
        ),
        (
            "{% for m in messages %}{% if m.role == 'user' %}u"
                + "{% elif m.role != 'x' %}s{% endif %}{% endfor %}",
            "su"
        ),
        ("{% for m in messages %}{% if 'tools' in m %}t{% else %}-{% endif %}{% endfor %}", "--"),
        ("{% for m in messages %}{% if m['tools'] is defined %}t{% endif %}{% endfor %}.", "."),
        ("{% for m in messages %}{% if m['tools'] is not none %}n{% endif %}{% endfor %}", "nn"),
        (
            "{% for m in messages %}{% if m.content in ['U', 'V'] %}{{ m.role }}"
                + "{% endif %}{% endfor %}",
            "user"
        ),
        (
            "{% for m in messages %}{% if 'se' in m.role %}{{ m.role }}{% endif %}{% endfor %}",
            "user"
        ),
        (
            "{% for m in messages %}{% if m.role not in ['user'] %}{{ m.role }}"
                + "{% endif %}{% endfor %}",
            "system"
        ),
        ("{% if not add_generation_prompt %}n{% else %}y{% endif %}", "y"),
        ("{% if false or (true and not false) %}y{% endif %}", "y"),
        ("{% if '' %}n{% elif [] %}n{% elif none %}n{% elif ['x'] %}y{% endif %}", "y"),
        ("{% if none is none and 'x' is not none %}y{% endif %}", "y"),
        ("{{ 'a' ~ 'b' + 'c' }}", "abc"),
        (
            "{% for m in messages %}{% if loop.first %}<{% endif %}{{ m.role }}"
                + "{% if not loop.last %}, {% else %}>{% endif %}{% endfor %}",
            "<system, user>"
        ),
        (
            "{% for m in messages %}{% generation %}{{ m.content }}{% endgeneration %}{% endfor %}",
            "SU"
        ),
    ]

    @Test("a template renders as in Jinja", arguments: rendered)
    func renders(source: String, text: String) throws {
        let template = try template(source)
        expectSameBytes(template.render(Self.messages, addGenerationPrompt: true), text)
    }

    /// Sources with the line and the word at which they are refused.
    private static let refused: [(source: String, line: Int, word: String)] = [
        ("{% set x = 1 %}", 1, "set"),
        ("\n\n{% macro f() %}", 3, "macro"),
        ("{{ content }}", 1, "content"),
        ("a\n{{ raise_exception('x') }}", 2, "raise_exception"),
        ("{% for m in messages %}{{ m['name'] }}{% endfor %}", 1, "'name'"),
        ("{% for m in messages %}{{ m }}{% endfor %}", 1, "}}"),
        ("{% for m in messages[1:] %}", 1, "["),
        ("{% for m in messages %}{% for n in messages %}", 1, "n"),
        ("{{ 'x' | trim }}", 1, "|"),
        ("{{ 'x' + true }}", 1, "}}"),
        ("{{ 'x'.strip() }}", 1, "."),
        ("{{ loop.first }}", 1, "loop"),
        ("{% for m in messages %}{{ loop.first }}{% endfor %}", 1, "}}"),
        ("{% for m in messages %}{% if loop.index == 1 %}{% endif %}{% endfor %}", 1, "index"),
        ("{% set ns = namespace(found=false) %}", 1, "set"),
        ("{% for m in messages %}{{ m.content | tojson }}{% endfor %}", 1, "|"),
        ("{{ strftime_now('%d %b') }}", 1, "strftime_now"),
        ("\n{% if messages[0]['role'] == 'system' %}{% endif %}", 2, "messages"),
        ("{% for m in messages %}{% if m.content is string %}{% endif %}{% endfor %}", 1, "string"),
        ("{% for m in messages %}{{ m.get('content') }}{% endfor %}", 1, "get"),
        ("{% include 'x' %}", 1, "include"),
        ("{% generation %}{% endif %}", 1, "endif"),
        ("{{ 1 }}", 1, "1"),
        ("{{ 'a' if true else 'b' }}", 1, "if"),
        ("{% if true %}", 1, "the end of the template"),
        ("{% endif %}", 1, "endif"),
        ("{% if true %}{% endfor %}", 1, "endfor"),
        ("{{ 'x", 1, "a string"),
        ("{{ '\\q' }}", 1, "\\q"),
        ("\n{{ 'x'", 2, "the tag"),
        ("{# x", 1, "{#"),
        ("{% if 'x' is odd %}", 1, "odd"),
        ("{% if 'a' in true %}{% endif %}", 1, "%}"),
    ]

    @Test("unsupported constructs are refused with line and word", arguments: refused)
    func refuses(source: String, line: Int, word: String) throws {
        let error = #expect(throws: TokenizerError.self) { try template(source) }
        guard case .template("template", let foundLine, let foundWord, _) = error else {
            Issue.record("another error: \(String(describing: error))")
            return
        }
        #expect(foundLine == line)
        #expect(foundWord == word)
    }

    @Test("the length, and so the cost of rendering, is bounded")
    func length() throws {
        let long = String(repeating: "a", count: 64 << 10)
        _ = try template(long)
        #expect(throws: TokenizerError.self) { try template(long + "a") }
        let fields = "{{ m.content" + String(repeating: " + m.content", count: 99) + " }}"
        _ = try template("{% for m in messages %}\(fields){% endfor %}")
        #expect(throws: TokenizerError.self) {
            try template("{% for m in messages %}\(fields){{ m.role }}{% endfor %}")
        }
    }

    @Test("nesting is bounded")
    func nesting() {
        let deep = 20_000
        let sources = [
            String(repeating: "(", count: deep), String(repeating: "not ", count: deep),
            String(repeating: "[", count: deep),
            "true" + String(repeating: " and true", count: deep),
        ]
        for source in sources { _ = try? template("{% if \(source) %}{% endif %}") }
        _ = try? template(String(repeating: "{% if true %}", count: deep))
        #expect(throws: TokenizerError.self) { try template("{{ " + sources[0] + " }}") }
    }

    @Test("damaged templates are refused or rendered, and never crash")
    func fuzz() throws {
        var generator = SeededGenerator(seed: 17)
        let sources = Self.rendered.map(\.source) + Self.refused.map(\.source)
        for _ in 0..<2_000 {
            let source = try #require(sources.randomElement(using: &generator))
            let damaged = String(decoding: generator.mutate(Array(source.utf8)), as: UTF8.self)
            let template = try? template(damaged)
            _ = template?.encode(Self.messages, addGenerationPrompt: false)
        }
    }

    @Test("tokens are counted for their message")
    func counts() throws {
        let template = try TestModel.demo.template()
        let messages = [
            ChatMessage(role: "system", content: "Be brief."),
            ChatMessage(role: "tool", content: "left out by the template"),
            ChatMessage(role: "user", content: "My favourite colour is teal."),
        ]
        let encoded = template.encode(messages, addGenerationPrompt: true)
        let alone = messages.map { template.encode([$0], addGenerationPrompt: true) }
        let prompt = template.encode([], addGenerationPrompt: true)
        #expect(prompt.tokens.count == 1)
        #expect(encoded.messageTokenCounts == alone.map { $0.tokens.count - 1 })
        #expect(encoded.messageTokenCounts[1] == 0)
        #expect(encoded.tokens.count == encoded.messageTokenCounts.reduce(1, +))
    }

    @Test("chat_template.jinja takes precedence")
    func precedence() throws {
        let folder = try TemporaryFolder()
        let configuration = #"{"chat_template": "c{{ eos_token }}", "eos_token": {"content": "E"}}"#
        try folder.write("tokenizer_config.json", Array(configuration.utf8))
        let tokenizer = try TestModel.demo.tokenizer()
        let first = try ChatTemplate.load(folder: folder.path, tokenizer: tokenizer)
        #expect(first.render([], addGenerationPrompt: false) == "cE")
        try folder.write("chat_template.jinja", Array("j{{ eos_token }}\n".utf8))
        let second = try ChatTemplate.load(folder: folder.path, tokenizer: tokenizer)
        #expect(second.render([], addGenerationPrompt: false) == "jE")
    }

    @Test("the default of several named templates is used")
    func named() throws {
        let folder = try TemporaryFolder()
        let configuration = """
            {"chat_template": [{"name": "tool_use", "template": "t"}, \
            {"name": "default", "template": "d"}]}
            """
        try folder.write("tokenizer_config.json", Array(configuration.utf8))
        let template = try ChatTemplate.load(
            folder: folder.path,
            tokenizer: TestModel.demo.tokenizer()
        )
        #expect(template.render([], addGenerationPrompt: false) == "d")
    }
}
