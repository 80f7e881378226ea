// Help texts, and the position of options.

import ArgumentParser
import ChatServer
import Testing
import stoa

@Suite("Help")
struct HelpTests {
    /// All command types, with those that have subcommands.
    private static let types: [any ParsableCommand.Type] = {
        func below(_ type: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
            [type] + type.configuration.subcommands.flatMap(below)
        }
        return below(Stoa.self)
    }()

    private func help(_ type: any ParsableCommand.Type) -> [Substring] {
        Stoa.helpMessage(for: type, columns: 80).split(
            separator: "\n",
            omittingEmptySubsequences: false
        )
    }

    @Test("every command's help fits a screen, except the list of settings")
    func length() {
        #expect(Self.types.count > 40)
        for type in Self.types where type.configuration.commandName != "settings" {
            let lines = help(type)
            #expect(lines.count <= 40, "\(type): \(lines.count) lines")
            // The parser leaves wrapping the usage line to the terminal.
            let long = lines.filter { $0.count > 80 && !$0.hasPrefix("USAGE: ") }
            #expect(long.isEmpty, "\(type): \(long)")
            #expect(lines.first?.hasPrefix("OVERVIEW: ") == true, "\(type)")
        }
    }

    @Test("every command, argument and option is explained")
    func completeness() {
        for type in Self.types { #expect(!type.configuration.abstract.isEmpty, "\(type)") }
        for line in Self.types.flatMap(help) {
            let words = line.split(separator: " ")
            #expect(words.count != 1 || !words[0].hasPrefix("-") || line.count > 26, "\(line)")
        }
    }

    @Test("stoa help settings lists every setting with its sources and its default")
    func settings() throws {
        let error = #expect(throws: (any Error).self) {
            var command = try Stoa.parseAsRoot(["help", "settings"])
            try command.run()
        }
        let text = Stoa.fullMessage(for: try #require(error))
        for setting in ServerSettings.definitions {
            #expect(text.contains("\n  \(setting.flag) \(setting.placeholder)\n"))
            #expect(text.contains("\n      \(setting.environmentVariable); default: "))
        }
        #expect(!text.split(separator: "\n").contains { $0.count > 80 && $0.contains(" ") })
    }

    @Test("help is printed wherever it is requested, even if arguments are missing")
    func anywhere() throws {
        for arguments in [
            ["import", "FILE", "--help"], ["import", "--help", "FILE"], ["import", "--help"],
            ["serve", "--port", "1", "--help"], ["user", "add", "--help", "--data-dir", "x"],
        ] {
            let error = #expect(throws: (any Error).self) {
                var command = try Stoa.parseAsRoot(arguments)
                try command.run()
            }
            let text = Stoa.fullMessage(for: try #require(error))
            #expect(text.hasPrefix("OVERVIEW: "), "\(arguments)")
            #expect(text.split(separator: "\n").count < 40)
        }
    }

    // MARK: Options before and after arguments

    private static let id = "0190b6c0-0000-7000-8000-000000000000"

    /// Valid values of arguments and options that do not accept any text.
    private static let samples = [
        "message": id, "messages": id, "conversation": id, "session": id, "role": "member",
        "limit": "7", "from": "2026-11-22", "to": "2026-11-22", "by": "day", "daily": "1",
        "monthly": "1", "server": "http://a", "temperature": "0.5", "max-tokens": "7",
        "max-thinking-tokens": "7",
        "seed": "7", "rope-rule": "always-long", "rope": "long", "revision": "main",
        "timeout": "7", "rate": "7", "until": "2026-11-27",
    ]

    private func value(_ argument: CommandDescription.Argument, of command: String) -> String {
        let name = argument.option.map { String($0.dropFirst(2)) } ?? argument.valueName ?? ""
        switch (command, name) {
        case ("export", "team"), ("admin audit", "team"): return Self.id
        case ("generate", "messages"), ("chat", "conversation"), ("tui", "conversation"): return "x"
        case ("tail", "messages"): return "7"
        case ("names", "kind"): return "models"
        case ("tail", "from"): return Self.id
        case (_, "format"): return command == "replay" ? "ids" : "text"
        default: return Self.samples[name] ?? "x"
        }
    }

    /// The options that an option requires.
    private func partners(_ option: String, of command: String) -> [String] {
        switch (command, option) {
        case ("generate", "--prompt"), ("generate", "--messages"), ("generate", "--replay"): []
        case ("generate", _): ["--prompt", "x"]
        case ("export", "--resume"): ["--output", "x"]
        case ("restore", "--until"): ["--archive", "x"]
        default: []
        }
    }

    @Test(
        "options are accepted before and after a command's arguments",
        arguments: CommandDescription.all
    )
    func options(command: CommandDescription) throws {
        // The arguments after it belong to stoa-bench.
        guard command.name != "bench" else { return }
        // A conversation excludes --new.
        let positionals =
            ["chat", "tui"].contains(command.name)
            ? [] : command.positionals.map { value($0, of: command.name) }
        // Of the settings, which are all alike, only those in the help.
        for argument in command.options where argument.shouldDisplay {
            guard let option = argument.option else { continue }
            let given =
                argument.kind == "flag" ? [option] : [option, value(argument, of: command.name)]
            let rest = partners(option, of: command.name)
            for arguments in [
                command.words + given + rest + positionals,
                command.words + positionals + rest + given,
            ] {
                #expect(throws: Never.self, "\(arguments)") { _ = try Stoa.parseAsRoot(arguments) }
            }
        }
    }

    @Test("settings mean the same before and after a command's arguments")
    func settingsAnywhere() throws {
        let commands = CommandDescription.all.filter { command in
            command.options.contains { $0.option == "--config" }
        }
        #expect(commands.count >= 10)
        for command in commands {
            let positionals = command.positionals.map { value($0, of: command.name) }
            let given = ["--data-dir", "/srv/a", "--model=b", "--model", "c"]
            for arguments in [
                command.words + given + positionals, command.words + positionals + given,
            ] {
                let parsed = try Stoa.parseAsRoot(arguments)
                let taking = try #require(parsed as? any SettingsTaking, "\(arguments)")
                let settings = try taking.arguments.load(environment: [:])
                #expect(settings.dataDirectory == "/srv/a")
                #expect(settings.models == ["b", "c"])
            }
        }
    }
}
