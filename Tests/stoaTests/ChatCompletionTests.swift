// Completion in `stoa chat`, and the text of attached files.

import Testing
import stoa

@Suite("Completion")
struct ChatCompletionTests {
    private let completion = ChatCompletion(
        titles: ["Tea", "Tea with milk", "Minutes"],
        models: ["phi-4", "phi-4-mini"]
    )

    @Test("commands, titles and models are completed as far as they are unique")
    func completing() {
        #expect(completion.complete("/he") == .replace(2, "help "))
        #expect(
            completion.complete("/s")
                == .choices(["search", "settings", "share", "stop", "system"])
        )
        #expect(completion.complete("/open m") == .replace(1, "Minutes"))
        #expect(completion.complete("/open t") == .replace(1, "Tea"))
        #expect(completion.complete("/model p") == .replace(1, "phi-4"))
        #expect(completion.complete("/model phi-4") == .choices(["phi-4", "phi-4-mini"]))
        #expect(completion.complete("hello") == .none)
        #expect(completion.complete("/nothing") == .none)
    }

    @Test("every command that can be completed exists")
    func commands() {
        for name in ChatCommand.names {
            let inputs = ["/\(name)", "/\(name) 1"].map { ChatInput($0) }
            let isKnown = inputs.contains { if case .wrong = $0 { false } else { true } }
            #expect(isKnown, "/\(name)")
        }
    }

    @Test("a file is a code block that its content cannot end")
    func attachment() {
        #expect(TextAttachment.text("a\n", name: "x/b.py") == "b.py:\n```py\na\n```")
        #expect(TextAttachment.text("a", name: "-") == "```\na\n```")
        #expect(TextAttachment.text("```\n", name: "b") == "b:\n````\n```\n````")
    }
}
