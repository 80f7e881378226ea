// The commands of a chat that start with a slash: one table for parsing, help and completion.

/// A command of `stoa chat` and `stoa tui`.
package struct ChatCommand: Sendable {
    /// Its name without the slash.
    package let name: String
    /// Other names.
    package let others: [String]
    /// The arguments, as the help shows them.
    package let arguments: String
    /// What it does.
    package let help: String
    /// The input of its arguments; nil if they are wrong.
    let parse: @Sendable (String?) -> ChatInput?

    private init(
        _ name: String,
        _ others: [String] = [],
        _ arguments: String = "",
        _ help: String,
        parse: @escaping @Sendable (String?) -> ChatInput?
    ) {
        self.name = name
        self.others = others
        self.arguments = arguments
        self.help = help
        self.parse = parse
    }

    /// A command without arguments.
    private init(_ name: String, _ others: [String] = [], is input: ChatInput, _ help: String) {
        self.init(name, others, "", help) { $0 == nil ? input : nil }
    }

    /// For example "/open NAME".
    package var usage: String { arguments.isEmpty ? "/\(name)" : "/\(name) \(arguments)" }

    // MARK: All

    /// All commands, in the order of the help.
    package static let all: [ChatCommand] = [
        Self("list", is: .list, "show your conversations"),
        Self("open", [], "N", "open number N of the list, or a title") {
            $0.map { text in Int(text).map { .open($0) } ?? .openNamed(text) }
        },
        Self("new", [], "[TITLE]", "start a conversation") { .new(title: $0) },
        Self("search", [], "WORDS", "search messages; also by:NAME since:DAY until:DAY here") {
            .search($0)
        },
        Self("found", [], "N", "open result N of the search, on its branch") {
            number($0).map { .found($0) }
        },
        Self("title", [], "TEXT", "change the title of this conversation") {
            $0.map { .title($0) }
        },
        Self("pin", is: .pin(true), "put this conversation first in your list"),
        Self("unpin", is: .pin(false), "put it back into its place"),
        Self("model", [], "[NAME]", "list the models, or choose the one that answers here") {
            .model($0)
        },
        Self("system", [], "[TEXT]", "set or show the system prompt") { .system($0) },
        Self("settings", [], "[NAME=N]", "show temperature, top_p, max_tokens and seed, or set one")
        {
            .settings($0)
        },
        Self(
            "prompts",
            [],
            "[N]",
            "list library prompts, show N, or use N as system prompt",
            parse: prompts
        ),
        Self("invite", [], "NAME", "add a teammate to this conversation") {
            $0.map { .invite($0) }
        },
        Self("share", is: .share, "create a link with which anyone can read this conversation"),
        Self("stop", is: .stop, "stop the running answer (also Ctrl-C)"),
        Self("edit", [], "TEXT", "edit your last question") { $0.map { .edit($0) } },
        Self("retry", ["regenerate"], is: .regenerate, "answer once more"),
        Self("continue", is: .proceed, "continue the last answer, if it ended too early"),
        Self(
            "branch",
            [],
            "[N]",
            "list the versions of a message, or show N (or newest)",
            parse: branch
        ),
        Self("fork", [], "[TITLE]", "copy this branch to a new conversation") {
            .fork(title: $0)
        },
        Self("delete", is: .delete, "delete your last question and everything below it"),
        Self("export", [], "FILE", "write this conversation to a file (.md, .html, .txt, .json)") {
            $0.map { .export($0) }
        },
        Self("receipt", [], "[FILE]", "say how the last answer was made, or write that to a file") {
            .receipt($0)
        },
        Self("usage", ["budget"], is: .usage, "show your token usage and limits"),
        Self("help", is: .help, "show this"),
        Self("quit", ["exit"], is: .quit, "quit (also Ctrl-D)"),
    ]

    /// All names, without the slash, by the alphabet.
    package static let names = all.flatMap { [$0.name] + $0.others }.sorted()

    /// The text of `/help`.
    package static let helpText: String = {
        let width = (all.map(\.usage.count).max() ?? 0) + 2
        let rows = all.map { command in
            let gap = String(repeating: " ", count: width - command.usage.count)
            let others = command.others.map { "/\($0)" }.joined(separator: ", ")
            return command.usage + gap + command.help + (others.isEmpty ? "" : " (also \(others))")
        }
        return rows.joined(separator: "\n") + """

            Other lines are sent as messages; for one that begins with a slash, write //.
            Alt-Enter or a \\ at the end begins a new line; Ctrl-X Ctrl-E opens $EDITOR.
            """
    }()

    /// The command with a name.
    static func named(_ name: some StringProtocol) -> ChatCommand? {
        all.first { $0.name == name || $0.others.contains { $0 == name } }
    }

    // MARK: Arguments

    private static func number(_ text: String?) -> Int? { text.flatMap { Int($0) } }

    @Sendable
    private static func branch(_ rest: String?) -> ChatInput? {
        switch rest {
        case nil: .branches
        case "newest": .newest
        default: number(rest).map { .branch($0) }
        }
    }

    @Sendable
    private static func prompts(_ rest: String?) -> ChatInput? {
        guard let words = rest?.split(separator: " ") else { return .prompts }
        guard let number = words.last.flatMap({ Int($0) }) else { return nil }
        if words.count == 1 { return .prompt(number) }
        return words.count == 2 && words[0] == "use" ? .usePrompt(number) : nil
    }
}
