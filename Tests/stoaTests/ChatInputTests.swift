// Parsing typed lines.

import Testing
import stoa

@Suite("Lines of stoa chat")
struct ChatInputTests {
    @Test(
        "a line is a message or a command",
        arguments: [
            ("Hello", .message("Hello")), ("  indented", .message("  indented")),
            ("//etc is a folder", .message("/etc is a folder")),
            ("", .nothing), (" \t ", .nothing),
            ("/list", .list), ("/open 3", .open(3)), ("/open tea", .openNamed("tea")),
            ("/model", .model(nil)), ("/model phi-4", .model("phi-4")), ("/retry", .regenerate),
            ("/title Tea", .title("Tea")), ("/pin", .pin(true)), ("/unpin", .pin(false)),
            ("/share", .share), ("/new", .new(title: nil)),
            ("/new Tea and  cake", .new(title: "Tea and  cake")),
            ("/system", .system(nil)), ("/system  Be kind.", .system("Be kind.")),
            ("/prompts", .prompts), ("/prompts 2", .prompt(2)), ("/prompts use 2", .usePrompt(2)),
            ("/invite grace", .invite("grace")), ("/stop", .stop), ("/help", .help),
            ("/usage", .usage), ("/budget", .usage), ("/settings seed=7", .settings("seed=7")),
            ("/export tea.md", .export("tea.md")), ("/receipt", .receipt(nil)),
            ("/search green tea", .search("green tea")), ("/search", .search(nil)),
            ("/found 2", .found(2)), ("/quit", .quit), ("/exit", .quit),
            ("/edit More tea?", .edit("More tea?")),
            ("/regenerate", .regenerate), ("/continue", .proceed), ("/branch", .branches),
            ("/branch 2", .branch(2)), ("/branch newest", .newest), ("/delete", .delete),
            ("/fork", .fork(title: nil)), ("/fork My copy", .fork(title: "My copy")),
        ] as [(String, ChatInput)]
    )
    func lines(line: String, input: ChatInput) {
        #expect(ChatInput(line) == input)
    }

    @Test(
        "an invalid command says so",
        arguments: [
            "/open", "/title", "/pin it", "/invite", "/", "/nonsense", "/list all", "/edit",
            "/branch x",
            "/prompts x", "/prompts use", "/prompts take 2", "/prompts use it now 2",
            "/delete all", "/regenerate it", "/export", "/found", "/found x",
        ]
    )
    func wrong(line: String) {
        guard case .wrong = ChatInput(line) else {
            Issue.record("\(line) was taken for \(ChatInput(line))")
            return
        }
    }
}
