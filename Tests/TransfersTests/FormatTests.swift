import ChatProtocol
import Testing
import Transfers

@Suite("Formats for reading and training")
struct FormatTests {
    private static let names = [Transfer.anna: "Anna <b>\n## evil"]

    private func text(
        _ format: TransferFormat,
        title: String = "A title",
        question: String? = nil,
        answer: String? = nil
    ) -> String {
        var conversation = ConversationRecord(
            id: Transfer.conversation,
            title: title,
            model: "demo",
            systemPromptVersion: 1,
            leaf: Transfer.answer,
            createdAt: Transfer.time,
            updatedAt: Transfer.time
        )
        conversation.leaf = Transfer.answer
        var document = ConversationDocument(conversation, for: nil)
        for var record in Transfer.ofEveryKind().records {
            if let question, case .message(var message) = record, message.role == .user {
                message.text = question
                record = .message(message)
            }
            if let answer, case .message(var message) = record, message.role == .assistant {
                message.text = answer
                record = .message(message)
            }
            document.add(record)
        }
        var writer = TextWriter(format)
        let bytes = writer.beginning + writer.text(of: document, Self.names) + writer.end
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("what a model thought is folded for readers, and stays for training")
    func thinking() {
        let answer = "<think>\nI <b>add</b>.\n</think>\n\nIt is 4."
        let markdown = text(.markdown, answer: answer)
        #expect(markdown.contains("<summary>Thinking</summary>\n\n\nI <b>add</b>.\n"))
        #expect(markdown.contains("</details>\n\nIt is 4.\n"))
        let html = text(.html, answer: answer)
        #expect(
            html.contains("<details><summary>Thinking</summary>\n<pre dir=\"auto\">\nI &lt;b&gt;")
        )
        #expect(html.contains("</details>\n<pre dir=\"auto\">It is 4.</pre>"))
        let plain = text(.text, answer: answer)
        #expect(plain.contains("It is 4.") && !plain.contains("add"))
        for format in [TransferFormat.openai, .sharegpt] {
            #expect(text(format, answer: answer).contains("add"))
        }
        // A person's text has no parts.
        #expect(text(.text, question: "<think>a</think>b").contains("<think>a</think>b"))
    }

    @Test("Markdown has a front matter that no title can break")
    func markdown() {
        let text = text(.markdown, title: "\"quoted\"\n---\nid: forged\u{2028}x")
        #expect(
            text.hasPrefix(
                """
                ---
                title: "\\"quoted\\"\\n---\\nid: forged\\u2028x"
                id: \(Transfer.conversation)
                model: "demo"
                created: 2025-11-21T09:30:00.125Z
                updated: 2025-11-21T09:30:00.125Z
                ---

                # "quoted" --- id: forged x

                > System prompt: Be

                """.replacing("Be\n", with: "Be\u{2028}kind.\n")
            )
        )
        #expect(text.contains("\n## Anna <b> ## evil, 2025-11-21T09:30:00.125Z\n"))
    }

    @Test("an HTML page shows messages as text")
    func html() {
        let text = text(.html, title: "</h1><script>alert('x')</script>")
        #expect(!text.contains("<script"))
        #expect(text.contains("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;"))
        #expect(text.contains("Content-Security-Policy"))
        #expect(text.contains("Anna &lt;b&gt; ## evil"))
        // The characters that HTML forbids are replaced.
        #expect(text.contains("<pre dir=\"auto\">What?\r\n\u{FFFD}\u{FFFD}</pre>"))
    }

    @Test("plain text has no markup")
    func plainText() {
        #expect(text(.text).hasPrefix("A title\n=======\ndemo, 2025-11-21T09:30:00.125Z\n"))
    }

    @Test("a disliked answer has weight 0 in OpenAI's lines")
    func openAI() {
        #expect(
            text(.openai)
                == #"{"messages":[{"role":"system","content":"Be"# + "\u{2028}" + #"kind."},"#
                + #"{"role":"user","content":"What?\r\n"# + "\u{7F}" + #"\u0001"},"#
                + #"{"role":"assistant","content":"That.","weight":0}]}"# + "\n"
        )
    }

    @Test("speakers alternate in ShareGPT's arrays")
    func shareGPT() {
        #expect(
            text(.sharegpt).hasSuffix(
                #"{"from":"gpt","value":"That."}]}]"# + "\n"
            )
        )
    }

    @Test(
        "no format shows text with direction overrides, and machine formats keep them escaped",
        arguments: [TransferFormat.markdown, .html, .text, .openai, .sharegpt]
    )
    func direction(format: TransferFormat) throws {
        let text = text(format, title: "\u{202E}gnp.exe", question: "see \u{2067}gnp.exe\u{2069}")
        #expect(!text.unicodeScalars.contains(where: DirectionMarks.contains))
        switch format {
        case .openai, .sharegpt: #expect(text.contains(#"see \u2067gnp.exe\u2069"#))
        case .markdown: #expect(text.contains("title: \"\\u202egnp.exe\"\n"))
        default: #expect(text.contains("gnp.exe") && text.contains("see gnp.exe"))
        }
        if format == .html {
            #expect(text.contains("<h2><bdi>Anna &lt;b&gt; ## evil</bdi> <small>"))
        }
    }

    @Test("the branch that the reader selected is shown, up to its newest message")
    func branch() {
        let time = Transfer.time
        let place = Transfer.conversation
        var document = ConversationDocument(
            ConversationRecord(id: place, title: "", createdAt: time, updatedAt: time),
            for: Transfer.anna
        )
        func id(_ number: Int) -> MessageID { Transfer.id(number, of: Message.self) }
        let tree = [(1, nil), (2, 1), (3, 1), (4, 2), (5, 3)] as [(Int, Int?)]
        for (number, parent) in tree {
            let message = MessageRecord(
                id: id(number),
                conversation: place,
                parent: parent.map(id),
                number: Int64(number),
                role: .user,
                text: "\(number)",
                createdAt: time
            )
            document.add(.message(message))
        }
        #expect(document.entries([:]).map(\.message.text) == ["1", "3", "5"])
        let member = MemberRecord(
            conversation: place,
            user: Transfer.anna,
            role: .owner,
            joinedAt: time,
            selected: id(2)
        )
        document.add(.member(member))
        #expect(document.entries([:]).map(\.message.text) == ["1", "2", "4"])
    }
}
