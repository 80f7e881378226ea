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

    /// The sources of the program.
    private static let sources = sources(in: ["Sources/stoa"])
    /// The sources of the programs that measure and test it.
    private static let otherSources = sources(
        in: ["Benchmarks/Sources", "Benchmarks/Echo", "Benchmarks/Chaos"]
    )

    /// Sources without comments and string literals, by path. Multi-line literals keep their lines,
    /// because nothing distinguishes those; an option's name is one word and seldom occurs in them.
    private static func sources(in folders: [String]) -> [String: String] {
        var sources: [String: String] = [:]
        func read(_ folder: String) {
            for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
                let path = "\(folder)/\(name)"
                if name.hasSuffix(".swift"), let data = FileManager.default.contents(atPath: path) {
                    sources[path] = code(of: String(decoding: data, as: UTF8.self))
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
        source.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            var code = ""
            var rest = line
            // Whether each enclosing construct is a literal; the others are interpolations.
            var isText: [Bool] = []
            while let character = rest.popFirst() {
                if isText.last == true {
                    if character == "\"" { isText.removeLast() }
                    if character == "\\", rest.popFirst() == "(" { isText.append(false) }
                } else if character == "\"" {
                    isText.append(true)
                } else if character == "/", rest.first == "/" {
                    break
                } else {
                    if character == ")", isText.last == false { isText.removeLast() }
                    if character == "(", !isText.isEmpty { isText.append(false) }
                    code.append(character)
                }
            }
            return code
        }.joined(separator: "\n")
    }

    private static let declarations = declarations(in: sources)

    private static func declarations(in sources: [String: String]) -> [Declaration] {
        sources.flatMap { declarations(in: $1, of: $0) }
    }

    private static func declarations(in source: String, of file: String) -> [Declaration] {
        var type = ""
        var isNext = false
        var isOption = false
        var found: [Declaration] = []
        for line in source.split(separator: "\n") {
            if let match = line.firstMatch(
                of: /^\s*(?:package |public )?(?:struct|extension) (\w+)/
            ) {
                type = String(match.1)
            }
            if line.contains(/@(Option|Flag|Argument|OptionGroup)\b/) {
                isNext = true
                isOption = line.contains(/@(Option|Flag)\b/)
            }
            if isNext, let match = line.firstMatch(of: /\bvar (\w+)/) {
                found.append(
                    Declaration(
                        type: type,
                        property: String(match.1),
                        file: file,
                        isOption: isOption
                    )
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
    func use() throws {
        #expect(try Self.unread(in: Self.sources) == [])
        #expect(Self.declarations(in: Self.otherSources).count > 60)
        #expect(try Self.unread(in: Self.otherSources) == [])
    }

    @Test("one that is read by nothing is found")
    func planted() throws {
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
        let sources = Self.sources.merging(["Planted.swift": Self.code(of: planted)]) { $1 }
        #expect(try Self.unread(in: sources) == ["PlantedCommand.quiet"])
    }

    @Test("each setting is read by the server, not only listed")
    func settings() throws {
        let sources = Self.sources(in: ["Sources/ChatServer", "Sources/stoa"])
        let properties = sources.values.flatMap {
            $0.matches(of: /\bSetting\(\s*\\\.(\w+),/).map { String($0.1) }
        }
        #expect(properties.count == ServerSettings.definitions.count)
        let unread = try properties.filter { try Self.readers(of: $0, in: sources) == 0 }
        #expect(unread == [])
        #expect(try Self.readers(of: "plantedSetting", in: sources) == 0)
    }

    /// How often a setting's property occurs beside its declaration and its entry in the list.
    private static func readers(
        of property: String,
        in sources: [String: String]
    ) throws -> Int {
        let word = try Regex("\\b\(property)\\b").wordBoundaryKind(.simple)
        let own = try Regex("\\bvar \(property)\\b|\\bSetting\\(\\s*\\\\\\.\(property),")
            .wordBoundaryKind(.simple)
        return sources.values.reduce(0) { count, source in
            count + source.matches(of: word).count - source.matches(of: own).count
        }
    }

    /// The properties that no command reads, in alphabetical order.
    private static func unread(in sources: [String: String]) throws -> [String] {
        try declarations(in: sources).filter { declaration in
            let word = try Regex("\\b\(declaration.property)\\b").wordBoundaryKind(.simple)
            let own = try Regex("\\bvar \(declaration.property)\\b").wordBoundaryKind(.simple)
            // A command reads its own properties; those of a group are read by the commands that
            // contain it.
            let isGroup = ["Arguments", "Options"].contains { declaration.type.hasSuffix($0) }
            let readers = sources.filter { file, source in
                file == declaration.file || isGroup
                    || source.contains("extension \(declaration.type) ")
            }
            let uses = readers.values.reduce(0) { count, source in
                count + source.matches(of: word).count - source.matches(of: own).count
            }
            return uses == 0
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
    private static let special =
        "special tokens in a text are parsed and shown only if requested"
    private static let receipts =
        "a run is repeated from its receipt, and the first different token is named"
    private static let rebuilding =
        "a prompt is reconstructed from the database, after a restart and prompt changes"

    /// The name of the test that observes an option's effect.
    private static let observers = [
        "AdminAuditCommand.action": admin, "AdminAuditCommand.actor": admin,
        "AdminAuditCommand.from": admin, "AdminAuditCommand.team": admin,
        "AdminAuditCommand.to": admin, "AdminUsageCommand.by": admin,
        "AdminUsageCommand.from": admin, "AdminUsageCommand.team": admin,
        "AdminUsageCommand.to": "usage is listed by day and user, or in total",
        "Add.admin": admin,
        "Add.passwordStdin": "a user can be added whether the server is running or not",
        "BudgetArguments.daily": admin,
        "BudgetArguments.monthly": "usage is listed by day and user, or in total",
        "ChatCommandLine.conversation": chat, "ChatCommandLine.new": chat,
        "ChatCommandLine.passwordStdin": chat, "ChatCommandLine.server": chat,
        "ChatCommandLine.user": chat,
        "ConfirmationArguments.yes": models, "Create.admin": admin,
        "DetokenizeCommand.keepSpecial": special,
        "DoctorCommandLine.json": "reports settings that cannot be read",
        "DoctorCommandLine.thorough": "stoa doctor --thorough reads all messages",
        "ExportCommandLine.all": transfers, "ExportCommandLine.conversation": transfers,
        "ExportCommandLine.database": transfers, "ExportCommandLine.format": transfers,
        "ExportCommandLine.output": transfers, "ExportCommandLine.resume": transfers,
        "ExportCommandLine.team": transfers, "GenerateCommandLine.maxTokens": prompts,
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
        "RemoveCommand.revision": models,
        "RenderCommand.parseSpecial":
            "a message cannot forge a turn, except in the reference mode",
        "ReplayCommandLine.format": rebuilding, "ReplayCommandLine.generatesAgain": rebuilding,
        "Revoke.session": admin, "ServerArguments.passwordStdin": chat,
        "ServerArguments.server": admin, "ServerArguments.user": admin,
        "SettingsArguments.config":
            "the file in the data directory is the default; a named file must exist",
        "SettingsCommand.markdown": "stoa settings lists the settings, or prints their page",
        "TableArguments.json": admin, "TokenizeCommand.parseSpecial": special,
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
