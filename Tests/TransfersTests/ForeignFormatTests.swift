import ChatProtocol
import Testing
import Transfers

@Suite("Imports from other systems")
struct ForeignFormatTests {
    @Test("read ChatGPT's tree by parents, with its branches, tools, times and custom instructions")
    func chatGPT() throws {
        let done = try ForeignImport(fixture: "chatgpt.json")
        #expect(done.error == nil)
        #expect(done.flaws() == [])
        let conversation = try #require(done.conversations.first)
        #expect(conversation.title == "Fibonacci in Python")
        #expect(conversation.createdAt.milliseconds == 1_700_000_000_250)
        #expect(conversation.updatedAt.milliseconds == 1_700_000_900_500)
        #expect(conversation.source?.system == "chatgpt")
        #expect(conversation.source?.id == "11111111-aaaa-4bbb-8ccc-000000000001")
        #expect(done.systemPrompt(of: conversation.id) == "I am a baker.\n\nBe brief.")
        let code = "def fib(n):\n    return n if n < 2 else fib(n-1) + fib(n-2)\nfib(20)"
        #expect(
            done.branch(to: conversation.leaf, of: conversation.id) == [
                "user: Compute the 20th Fibonacci number.\n\nUse Python.",
                "assistant: ```python\n\(code)\n```\n\n```\n6765\n```\n\n"
                    + "The 20th Fibonacci number is **6765**. 🎉",
                "user: [image]\n\nAnd in this picture?",
                "assistant: A croissant.",
            ]
        )
        let messages = done.messages(of: conversation.id)
        #expect(messages.count == 7)
        #expect(messages[0].createdAt.milliseconds == 1_700_000_010_000)
        #expect(messages[1].createdAt.milliseconds == 1_700_000_020_125)
        #expect(messages[1].model == "gpt-4")
        let stopped = try #require(messages.first { $0.text == "A bread roll, I th" })
        #expect(stopped.state == .stopped)
        #expect(done.changed("messages of one answer were joined") == 1)
        #expect(done.changed("custom instructions became the system prompt") == 1)
        #expect(done.skipped("a model's thoughts") == 1)
        #expect(done.skipped("an image") == 1)
    }

    @Test("insert an empty question or answer where one is missing")
    func partners() throws {
        let done = try ForeignImport(fixture: "chatgpt.json")
        let conversation = try #require(done.conversations.last)
        #expect(conversation.title == "")
        #expect(conversation.source?.id == "22222222-aaaa-4bbb-8ccc-000000000002")
        #expect(
            done.branch(to: conversation.leaf, of: conversation.id) == [
                "user: ", "assistant: Hello, I am a bot.", "user: One question", "assistant: ",
                "user: and another, cut inside an emoji \u{FFFD}", "assistant: Sunny.",
            ]
        )
        #expect(done.changed("it answered nothing; an empty question is before it") == 1)
        #expect(done.changed("it followed another question; an empty answer is between them") == 1)
        #expect(done.changed("half a character became U+FFFD") == 1)
        #expect(done.skipped("a call of a tool") == 1)
        #expect(done.skipped("what a tool returned") == 1)
    }

    @Test("read ChatGPT's archive, including split files, and ignore its other files")
    func archive() throws {
        let all = try ForeignImport.fixture("chatgpt.json")
        let alone = ForeignImport(all)
        let other = ZIPWriter.Entry("export/user.json", #"{"id": "user-1"}"#)
        let picture = ZIPWriter.Entry("export/file-1.png", [0x89, 0x50])
        let whole = ZIPWriter.archive([
            other, picture, ZIPWriter.Entry("export/conversations.json", all),
        ])
        let zipped = ForeignImport(whole, name: "export.zip")
        #expect(zipped.error == nil)
        #expect(zipped.records == alone.records)
        #expect(zipped.skipped("files that are no conversations") == 1)
        let text = String(decoding: all, as: UTF8.self)
        let cut = try #require(text.firstRange(of: "\n  },\n  {"))
        let first = text[..<cut.lowerBound] + "}]"
        let second = "[{" + text[cut.upperBound...]
        let split = ZIPWriter.archive([
            ZIPWriter.Entry("conversations-001.json", String(second)),
            ZIPWriter.Entry("conversations-000.json", String(first)), other,
        ])
        #expect(ForeignImport(split, name: "export.zip").records == alone.records)
    }

    @Test("read Open WebUI's chats, with two answers side by side, errors and unknown fields")
    func openWebUI() throws {
        let done = try ForeignImport(fixture: "openwebui.json")
        #expect(done.error == nil)
        #expect(done.flaws() == [])
        let conversation = try #require(done.conversations.first)
        #expect(done.conversations.count == 1)
        #expect(conversation.title == "Roman numerals")
        #expect(
            conversation.settings == GenerationSettings(temperature: 0.5, seed: 7, stop: ["Ave"])
        )
        #expect(done.systemPrompt(of: conversation.id) == "Answer as a Roman.")
        #expect(
            done.branch(to: conversation.leaf, of: conversation.id) == [
                "user: What is 2026?", "assistant: MMXXVI it is.",
            ]
        )
        let messages = done.messages(of: conversation.id)
        #expect(messages.count == 5)
        let failed = try #require(messages.last)
        #expect(failed.state == .failed)
        #expect(failed.text == "connection lost")
        #expect(messages.first { $0.text == "MMXXVI." }?.model == "llama3:8b")
        #expect(messages.first { $0.text == "And this?\n\n[image]" } != nil)
        #expect(done.skipped("it is not an object") == 1)
        let notes = done.report.skipped.notes.map(\.object)
        #expect(notes.contains("message “usage”, 2 times"))
        #expect(notes.contains("conversation “pinned”, 1 times"))
    }

    @Test("read the form that older versions of Open WebUI wrote")
    func openWebUILegacy() throws {
        let done = try ForeignImport(fixture: "openwebui-legacy.json")
        let conversation = try #require(done.conversations.first)
        #expect(done.flaws() == [])
        #expect(conversation.title == "Old chat")
        #expect(
            done.branch(to: conversation.leaf, of: conversation.id) == [
                "user: Say hello in Latin", "assistant: Salve!",
            ]
        )
        #expect(done.messages(of: conversation.id).last?.state == .stopped)
    }

    @Test("read LibreChat's list of messages, with its prompt, errors and orphans")
    func libreChatFlat() throws {
        let done = try ForeignImport(fixture: "librechat-flat.json")
        #expect(done.error == nil)
        #expect(done.flaws() == [])
        let conversation = try #require(done.conversations.first)
        #expect(done.systemPrompt(of: conversation.id) == "You are a tea master.")
        #expect(conversation.settings.topP == 0.9)
        #expect(conversation.createdAt.milliseconds == 1_712_052_000_000)
        let messages = done.messages(of: conversation.id)
        #expect(messages.count == 6)
        #expect(messages[1].createdAt.milliseconds == 1_712_052_005_120)
        let stopped = try #require(messages.first { $0.text == "Brew it at 70 °C" })
        #expect(stopped.state == .stopped)
        #expect(messages.first { $0.state == .failed }?.parent == stopped.parent)
        #expect(messages.last?.text == "Coffee?")
        #expect(messages.last?.parent == nil)
        #expect(done.changed("its parent is missing; it begins a branch of its own") == 1)
        #expect(done.report.skipped.notes.contains { $0.object == "message “tokenCount”, 1 times" })
    }

    @Test("read LibreChat's nested messages, thousands deep")
    func libreChatNested() throws {
        let done = try ForeignImport(fixture: "librechat-recursive.json")
        #expect(done.flaws() == [])
        let conversation = try #require(done.conversations.first)
        #expect(done.messages(of: conversation.id).count == 4)
        #expect(
            done.branch(to: conversation.leaf, of: conversation.id) == [
                "user: Begin", "assistant: Second answer",
            ]
        )
        let depth = 20_000
        let begin = (0..<depth).map {
            #"{"messageId":"\#($0)","text":"t\#($0)","isCreatedByUser":\#($0 % 2 == 0),"children":["#
        }
        let text =
            #"{"conversationId":"deep","messagesTree":["# + begin.joined()
            + String(repeating: "]}", count: depth) + "]}"
        let deep = ForeignImport(text)
        #expect(deep.error == nil)
        #expect(deep.flaws() == [])
        #expect(deep.conversations.first.map { deep.messages(of: $0.id).count } == depth)
    }

    @Test(
        "derive the same ids each time, and other ids for another user",
        arguments: [
            "chatgpt.json", "openwebui.json", "openwebui-legacy.json", "librechat-flat.json",
            "librechat-recursive.json",
        ]
    )
    func stability(fixture: String) throws {
        let once = try ForeignImport(fixture: fixture)
        let twice = try ForeignImport(fixture: fixture)
        #expect(once.records == twice.records)
        let bytes = try ForeignImport.fixture(fixture)
        let other = ForeignImport(bytes, user: Transfer.id(99, of: User.self))
        #expect(Set(other.conversations.map(\.id)).isDisjoint(with: once.conversations.map(\.id)))
    }

    @Test("copy the start of an answer to each branch that forks inside it")
    func forkedAnswer() throws {
        let done = ForeignImport(
            #"""
            [{"id": "c", "current_node": "y", "mapping": {
              "u": {"parent": null, "message": {"author": {"role": "user"}, "content": {"content_type": "text", "parts": ["?"]}}},
              "a": {"parent": "u", "message": {"author": {"role": "assistant"}, "content": {"content_type": "text", "parts": ["Let me see."]}}},
              "x": {"parent": "a", "message": {"author": {"role": "assistant"}, "content": {"content_type": "text", "parts": ["One."]}}},
              "y": {"parent": "a", "message": {"author": {"role": "assistant"}, "content": {"content_type": "text", "parts": ["Two."]}}}
            }}]
            """#
        )
        #expect(done.flaws() == [])
        let conversation = try #require(done.conversations.first)
        let texts = done.messages(of: conversation.id).map(\.text)
        #expect(texts == ["?", "Let me see.\n\nOne.", "Let me see.\n\nTwo."])
        #expect(conversation.createdAt == ForeignImport.now)
    }

    @Test("refuse an unknown file, and say which formats are read")
    func unknown() {
        let error = ForeignImport(#"[{"some": "thing"}]"#).error
        #expect(
            error
                == .unknownFormat(
                    "“export.json” has no conversations of ChatGPT, Open WebUI or LibreChat"
                )
        )
        #expect(ForeignImport("<html>").error?.description.contains("neither") == true)
        #expect(ForeignImport("").error?.description.contains("neither") == true)
        #expect(ForeignImport("[]").error == nil)
        #expect(ForeignImport("3").error?.description.contains("neither a list") == true)
    }
}
