// Every option of every command has an effect: its property is read by the command. And every setting is
// read by the server.

import ChatServer
import FoundationEssentials
import TestSupport
import Testing

@Suite("Declared options")
struct OptionUseTests {
    /// A property that a command line sets.
    private struct Declaration: Hashable {
        let type: String
        let property: String
        let file: String
        /// Whether it is an option or a flag, not an argument or a group.
        let isOption: Bool
    }

    /// A source's text and the words in it.
    private struct Source {
        let text: String
        /// How often each word occurs, except where it declares a property or lists a setting.
        private(set) var uses: [Substring: Int] = [:]
        /// The types that it extends.
        private(set) var extended: Set<Substring> = []

        init(_ text: String) {
            self.text = text
            var previous: Substring = ""
            for word in Self.words(of: text[...]) {
                if previous != "var", previous != "Setting" { uses[word, default: 0] += 1 }
                if previous == "extension" { extended.insert(word) }
                previous = word
            }
        }

        static func words(of text: Substring) -> [Substring] {
            text.utf8.split { !isWordByte($0) }.map(Substring.init)
        }

        private static func isWordByte(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                true
            default: byte >= 0x80
            }
        }
    }

    /// The sources of the program.
    private static let sources = sources(in: ["Sources/stoa"])
    /// The sources of the programs that measure and test it.
    private static let otherSources = sources(
        in: ["Benchmarks/Sources", "Benchmarks/Echo", "Benchmarks/Chaos"]
    )

    /// Sources without comments and string literals, by path. Multi-line literals keep their lines,
    /// because nothing distinguishes those; an option's name is one word and seldom occurs in them.
    private static func sources(in folders: [String]) -> [String: Source] {
        var sources: [String: Source] = [:]
        func read(_ folder: String) {
            for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
                let path = "\(folder)/\(name)"
                if name.hasSuffix(".swift"), let data = FileManager.default.contents(atPath: path) {
                    sources[path] = Source(code(of: String(decoding: data, as: UTF8.self)))
                } else {
                    read(path)
                }
            }
        }
        for folder in folders { read("\(SharedFiles.packageRoot)/\(folder)") }
        return sources
    }

    /// A source without comments, and of its string literals only the interpolations.
    private static func code(of source: String) -> String {
        var code: [UInt8] = []
        for line in source.utf8.split(separator: newline, omittingEmptySubsequences: false) {
            var rest = line
            // Whether each enclosing construct is a literal; the others are interpolations.
            var isText: [Bool] = []
            while let byte = rest.popFirst() {
                if isText.last == true {
                    if byte == quote { isText.removeLast() }
                    if byte == backslash, rest.popFirst() == opening { isText.append(false) }
                } else if byte == quote {
                    isText.append(true)
                } else if byte == slash, rest.first == slash {
                    break
                } else {
                    if byte == closing, isText.last == false { isText.removeLast() }
                    if byte == opening, !isText.isEmpty { isText.append(false) }
                    code.append(byte)
                }
            }
            code.append(newline)
        }
        return String(decoding: code, as: UTF8.self)
    }

    private static let newline = UInt8(ascii: "\n")
    private static let quote = UInt8(ascii: "\"")
    private static let backslash = UInt8(ascii: "\\")
    private static let slash = UInt8(ascii: "/")
    private static let opening = UInt8(ascii: "(")
    private static let closing = UInt8(ascii: ")")

    private static let declarations = declarations(in: sources)

    private static func declarations(in sources: [String: Source]) -> [Declaration] {
        sources.flatMap { declarations(in: $1.text, of: $0) }
    }

    private static func declarations(in source: String, of file: String) -> [Declaration] {
        var type = ""
        var isNext = false
        var isOption = false
        var found: [Declaration] = []
        for line in source.split(separator: "\n") {
            let words = Source.words(of: line)
            let declared = words.drop { ["package", "public"].contains($0) }
            if declared.count > 1, ["struct", "extension"].contains(declared.first) {
                type = String(declared[declared.startIndex + 1])
            }
            if line.drop(while: { $0 == " " }).first == "@", let attribute = words.first,
                ["Option", "Flag", "Argument", "OptionGroup"].contains(attribute)
            {
                isNext = true
                isOption = ["Option", "Flag"].contains(attribute)
            }
            if isNext, let place = words.firstIndex(of: "var"), place + 1 < words.endIndex {
                let property = String(words[place + 1])
                found.append(
                    Declaration(type: type, property: property, file: file, isOption: isOption)
                )
                isNext = false
            }
        }
        return found
    }

    @Test("each is found where it is declared")
    func coverage() {
        #expect(Self.declarations.count > 80)
        #expect(
            Self.declarations.contains {
                $0.type == "LogitsCommand" && $0.property == "exact"
            }
        )
    }

    @Test("each is read by its command")
    func use() {
        #expect(Self.unread(in: Self.sources) == [])
        #expect(Self.declarations(in: Self.otherSources).count > 60)
        #expect(Self.unread(in: Self.otherSources) == [])
    }

    @Test("one that is read by nothing is found")
    func planted() {
        let planted = """
            struct PlantedCommand: ParsableCommand {
                @Flag(help: "Does nothing.")
                var quiet = false

                @Option(help: "Does something.")
                var count = 1

                // quiet is not read here.
                func run() { print(count, "quiet") }
            }
            """
        let sources = Self.sources.merging(["Planted.swift": Source(Self.code(of: planted))]) { $1 }
        #expect(Self.unread(in: sources) == ["PlantedCommand.quiet"])
    }

    @Test("each setting is read by the server, not only listed")
    func settings() {
        let sources = Self.sources(in: ["Sources/ChatServer", "Sources/stoa"])
        let properties = sources.filter { $0.key.contains("/Settings/") }.values.flatMap {
            $0.text.matches(of: /\bSetting\(\s*\\\.(\w+),/).map { $0.1 }
        }
        #expect(properties.count == ServerSettings.definitions.count)
        #expect(properties.filter { Self.uses(of: $0, in: sources.values) == 0 } == [])
        #expect(Self.uses(of: "plantedSetting", in: sources.values) == 0)
    }

    /// How often a property occurs beside its declaration and its entry in the list of settings.
    private static func uses(of property: Substring, in sources: some Sequence<Source>) -> Int {
        sources.reduce(0) { $0 + $1.uses[property, default: 0] }
    }

    /// The properties that no command reads, in alphabetical order.
    private static func unread(in sources: [String: Source]) -> [String] {
        declarations(in: sources).filter { declaration in
            // A command reads its own properties; those of a group are read by the commands that
            // contain it.
            let isGroup = ["Arguments", "Options"].contains { declaration.type.hasSuffix($0) }
            let readers = sources.filter { file, source in
                file == declaration.file || isGroup
                    || source.extended.contains(declaration.type[...])
            }
            return uses(of: declaration.property[...], in: readers.values) == 0
        }.map { "\($0.type).\($0.property)" }.sorted()
    }

    // MARK: The effect of each

    private static let models = "models are downloaded, verified and removed as their options say"
    private static let prompts = "--prompt, --messages and --system make the prompt"
    private static let sampling =
        "--temperature and --seed control sampling"
    private static let transfers =
        "stoa export writes what its options select, and stoa import reads it"
    private static let admin = "stoa admin audit, users and usage list what their options select"
    private static let chat =
        "stoa chat opens the newest conversation, a given one, or a new one"
    private static let fullScreen =
        "stoa tui --mouse opens a conversation with a click; in a pipe the command is refused"
    private static let special =
        "special tokens in a text are parsed and shown only if requested"
    private static let receipts =
        "a run is repeated from its receipt, and the first different token is named"
    private static let rebuilding =
        "a prompt is reconstructed from the database, after a restart and prompt changes"
    private static let backups =
        "made of a running server, it has what was acknowledged before, and a new epoch"
    private static let top = "stoa top prints one table, or JSON, for administrators alone"
    private static let moments = "with archived WAL, any later moment is restored"

    private static let asking = "stoa ask prints an answer in the named conversation"
    private static let scripting = "scripts list, show, search, send and follow conversations"
    private static let signingIn = "stoa login remembers a sign-in, and stoa logout ends it"

    /// The name of the test that observes an option's effect.
    private static let observers = [
        "AdminAuditCommand.action": admin, "AdminAuditCommand.actor": admin,
        "AdminAuditCommand.from": admin, "AdminAuditCommand.team": admin,
        "AdminAuditCommand.to": admin, "AdminUsageCommand.by": admin,
        "AdminUsageCommand.from": admin, "AdminUsageCommand.team": admin,
        "AdminUsageCommand.to": "usage is listed by day and user, or in total",
        "Add.admin": admin,
        "Add.passwordStdin": "a user can be added whether the server is running or not",
        "BackupCreateCommandLine.rate": backups, "BackupVerifyCommandLine.scratch": backups,
        "BudgetArguments.daily": admin,
        "BudgetArguments.monthly": "usage is listed by day and user, or in total",
        "AskCommand.continues": asking, "AskCommand.conversation": asking,
        "AskCommand.model": asking, "AskCommand.system": asking,
        "ChatCommandLine.new": chat, "FullScreenCommandLine.new": fullScreen,
        "FullScreenCommandLine.mouse": fullScreen,
        "ListConversationsCommand.archived": scripting,
        "ListConversationsCommand.limit": scripting,
        "LoginCommand.device": signingIn, "LoginCommand.passwordStdin": signingIn,
        "LoginCommand.profile": signingIn, "LoginCommand.tokenStdin": signingIn,
        "LoginCommand.user": signingIn, "LoginCommand.web": signingIn,
        "LogoutCommand.user": signingIn,
        "OutputArguments.json": scripting, "OutputArguments.quiet": asking,
        "QuestionArguments.file": asking, "SearchCommand.conversation": scripting,
        "SearchCommand.limit": scripting, "ShowCommand.limit": scripting,
        "ThinkingArguments.noThinking": "--no-thinking leaves out what a model thinks",
        "TailCommand.from": scripting, "TailCommand.messages": scripting,
        "ConfirmationArguments.yes": models, "Create.admin": admin,
        "DetokenizeCommand.keepSpecial": special,
        "DoctorCommandLine.json": "reports settings that cannot be read",
        "DoctorCommandLine.thorough": "stoa doctor --thorough reads all messages",
        "Drain.undo": "stoa admin engines adds, lists, drains and removes, and asks first",
        "ExportCommandLine.all": transfers, "ExportCommandLine.conversation": transfers,
        "ExportCommandLine.database": transfers, "ExportCommandLine.format": transfers,
        "ExportCommandLine.output": transfers, "ExportCommandLine.resume": transfers,
        "ExportCommandLine.team": transfers,
        "GenerateCommandLine.adapter": "--adapter changes the answer, which its receipt repeats",
        "GenerateCommandLine.maxTokens": prompts,
        "GenerateCommandLine.maxThinkingTokens":
            "--max-thinking-tokens closes a thinking part at its limit",
        "GenerateCommandLine.messages": prompts, "GenerateCommandLine.model": prompts,
        "GenerateCommandLine.prompt": prompts, "GenerateCommandLine.receipt": receipts,
        "GenerateCommandLine.replay": receipts,
        "GenerateCommandLine.ropeRule": "a rule of the engine or of a run overrides the lengths",
        "GenerateCommandLine.seed": sampling, "GenerateCommandLine.system": prompts,
        "GenerateCommandLine.temperature": sampling, "ImportCommandLine.all": transfers,
        "ImportCommandLine.database": transfers, "ImportCommandLine.dryRun": transfers,
        "InfoCommand.json": models, "List.query": admin, "ListArguments.limit": admin,
        "LogitsCommand.exact": "differ from those of quantized arithmetic, which --exact turns off",
        "LogitsCommand.rope": "equal float32 for every layout",
        "PullCommand.dryRun": models, "PullCommand.revision": models,
        "ReadyCommand.server": "tells whether the server takes requests, also by its exit status",
        "ReadyCommand.timeout": "waits no longer than it is told",
        "RemoveCommand.revision": models,
        "Remove.now": "answers leave an engine that is removed at once, and others go on with them",
        "RenderCommand.parseSpecial":
            "a message cannot forge a turn, except in the reference mode",
        "ReplayCommandLine.format": rebuilding, "ReplayCommandLine.generatesAgain": rebuilding,
        "RestoreCommandLine.archive": moments, "RestoreCommandLine.until": moments,
        "Revoke.session": admin, "ServerArguments.passwordStdin": chat,
        "ServerArguments.server": admin, "ServerArguments.user": admin,
        "SettingsArguments.config":
            "the file in the data directory is the default; a named file must exist",
        "SettingsCommand.markdown": "stoa settings lists the settings, or prints their page",
        "TableArguments.json": admin, "TopCommandLine.json": top, "TopCommandLine.once": top,
        "TokenizeCommand.parseSpecial": special,
        "TransferServerArguments.server": transfers, "TransferServerArguments.user": transfers,
        "VerifyCommand.json": models, "VerifyCommand.removeDamaged": models,
    ]

    @Test("each changes something that a test observes")
    func observation() throws {
        let declared = Set(
            Self.declarations.filter(\.isOption).map { "\($0.type).\($0.property)" }
        )
        let named = Set(Self.observers.keys)
        #expect(declared == named, "\(declared.symmetricDifference(named).sorted())")
        var tests = ""
        func read(_ folder: String) throws {
            for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
                let path = "\(folder)/\(name)"
                if name.hasSuffix(".swift") {
                    guard name != "OptionUseTests.swift" else { continue }
                    tests += try String(contentsOfFile: path, encoding: .utf8)
                } else {
                    try read(path)
                }
            }
        }
        for suite in ["stoaTests", "EndToEnd", "InferenceTests"] {
            try read("\(SharedFiles.packageRoot)/Tests/\(suite)")
        }
        for name in Set(Self.observers.values) {
            #expect(tests.contains("\"\(name)\""), "there is no test “\(name)”")
        }
    }
}
