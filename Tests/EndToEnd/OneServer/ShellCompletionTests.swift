// What shells complete with the program's scripts, as somebody who presses Tab sees it.

import ChatProtocol
import FoundationEssentials
import TestSupport
import Testing

extension EndToEnd.OneServer {
    /// A shell whose completion the program has a script for.
    enum Shell: String, CaseIterable, CustomTestStringConvertible {
        case bash, zsh, fish

        var testDescription: String { rawValue }

        var isMissing: Bool {
            !FileManager.default.isExecutableFile(atPath: "/usr/bin/\(rawValue)")
        }

        /// Where the shell finds the script, in a folder of its own.
        var scriptName: String { self == .zsh ? "_stoa" : "stoa.\(rawValue)" }

        /// The file that an interactive shell reads first, and what it says.
        func startFile(in folder: String) -> (name: String, text: String) {
            switch self {
            case .bash: ("start", "source '\(folder)/\(scriptName)'\nPS1='$ '\n")
            case .zsh:
                (
                    ".zshrc",
                    """
                    fpath=('\(folder)' $fpath)
                    autoload -U compinit
                    compinit -u -d '\(folder)/dump'
                    PS1='$ '

                    """
                )
            case .fish:
                (
                    "start",
                    """
                    source '\(folder)/\(scriptName)'
                    set -g fish_autosuggestion_enabled 0
                    function fish_prompt; echo '$ '; end

                    """
                )
            }
        }

        /// The command that starts it.
        func command(_ folder: String) -> String {
            switch self {
            case .bash: "/usr/bin/bash --noprofile --rcfile '\(folder)/start' -i"
            case .zsh: "ZDOTDIR='\(folder)' /usr/bin/zsh -i"
            case .fish: "/usr/bin/fish --no-config -i -C \"source '\(folder)/start'\""
            }
        }
    }

    /// Titles that each shell takes for more than a name.
    private static func hostileTitles(_ proof: String) -> [String] {
        [
            "$(touch \(proof))`touch \(proof)`", "(touch \(proof))", "';touch \(proof);'",
            "\";touch \(proof);\"", "a;touch \(proof)", "a|touch \(proof)", "a\\", "*", "~root",
            "{a,\(proof)}", "!touch", "--help", "$HOME", "<\(proof)>", "#\(proof)",
        ]
    }

    /// Empties the line, not by SIGINT: a shell that is still completing takes that for the completion.
    private func leaveLine(_ window: TerminalWindow) throws {
        try window.press("C-u")
        try window.wait("an empty line") { $0.last { !$0.isEmpty } == "$" }
    }

    @Test(
        "Tab completes titles and models in a line that works, and executes nothing of others' titles",
        .disabled(if: TerminalWindow.isMissing, "needs tmux: make setup installs it"),
        arguments: Shell.allCases
    )
    func shellCompletion(shell: Shell) throws {
        guard !shell.isMissing else {
            try Test.cancel("needs \(shell.rawValue): make setup installs it")
        }
        let server = try SharedServer.server()
        let user = "tab-\(shell.rawValue)"
        try server.addUser(user)
        let peer = try server.connect(try server.signIn(user))
        let folder = try TemporaryFolder()
        let proof = "\(folder.path)/proof"
        let hostile = try Self.hostileTitles(proof).map { try peer.createConversation(title: $0) }
        for title in ["Green tea", "Plan: the party"] {
            let conversation = try peer.createConversation(
                title: title,
                settings: GenerationSettings(maxTokens: 1)
            )
            _ = try peer.say("I am “\(title)”.", in: conversation)
        }
        _ = try server.command(
            ["login", server.origin, "--user", user, "--password-stdin"],
            input: "\(server.password(of: user))\n"
        )
        let script = try server.command(["--generate-completion-script", shell.rawValue]).output
        _ = try folder.write(shell.scriptName, Array(script.utf8))
        let start = shell.startFile(in: folder.path)
        _ = try folder.write(start.name, Array(start.text.utf8))
        let bin = StoaServer.program.split(separator: "/").dropLast().joined(separator: "/")
        let window = try TerminalWindow(
            // tmux takes PATH from its client.
            shell: """
                cd '\(folder.path)'; export PATH='/\(bin):/usr/bin:/bin'
                exec env \(shell.command(folder.path))
                """,
            environment: [
                "HOME": folder.path, "HISTFILE": "",
                "XDG_CONFIG_HOME": "\(server.folder.path)/config", "XDG_DATA_HOME": folder.path,
                "STOA_SERVER": server.origin,
            ],
            columns: 160,
            rows: 50
        )
        try window.wait("a prompt") { $0.contains { $0.hasPrefix("$") } }
        // Each title is completed as one word, with which the command finds the conversation.
        for (typed, title) in [("Gre", "Green tea"), ("Plan", "Plan: the party")] {
            try window.type("stoa show \(typed)")
            try window.press("Tab")
            let rest = title.split(separator: " ").last ?? ""
            try window.wait("\(title) in the line") {
                $0.contains { $0.hasPrefix("$ stoa show") && $0.contains(rest) }
            }
            try window.press("Enter")
            // What is typed before the prompt would stand before it.
            try window.wait("the conversation, and a prompt") { lines in
                lines.contains("I am “\(title)”.") && lines.last { !$0.isEmpty } == "$"
            }
        }
        // Of the hostile ones the ids are offered, all with the same beginning.
        try window.type("stoa show ")
        // bash lists them when Tab is pressed again.
        for _ in 0..<(shell == .bash ? 2 : 1) { try window.press("Tab") }
        try window.wait("an id") { lines in
            lines.contains { line in hostile.contains { line.contains("\($0)".prefix(8)) } }
        }
        try leaveLine(window)
        for id in hostile.prefix(2) {
            try window.type("stoa show \("\(id)".dropLast(3))")
            try window.press("Tab")
            try window.wait("the id") { $0.contains { $0.hasPrefix("$ stoa show \(id)") } }
            try leaveLine(window)
        }
        try window.type("stoa ask --model sto")
        try window.press("Tab")
        try window.wait("the model") { lines in
            lines.contains { $0.hasPrefix("$ stoa ask --model stoa-demo") }
        }
        #expect(!FileManager.default.fileExists(atPath: proof))
    }
}
