// Unusable paths given to every command that takes one: each exits with a line that names the path
// and the cause, without texts of the libraries beneath.

import FoundationEssentials
import Glibc
import TestSupport
import Testing

extension EndToEnd.WithServersOfTheirOwn {
    @Suite("Unusable paths")
    struct HostilePathTests {
        /// A kind of path, and the expected message of a command that needs an existing folder or
        /// file.
        private enum Obstacle: String, CaseIterable {
            case belowFile, link, circle, tooLong, closed, readOnly
        }

        private static let demo = "\(SharedFiles.packageRoot)/Sources/BundledFiles/demo-model"

        private let folder: TemporaryFolder
        private let paths: [Obstacle: String]

        init() throws {
            folder = try TemporaryFolder()
            let root = folder.path
            try folder.write("file", Array("x".utf8))
            symlink("\(root)/nowhere", "\(root)/link")
            symlink("\(root)/circle", "\(root)/circle")
            mkdir("\(root)/closed", 0)
            paths = [
                .belowFile: "\(root)/file/below",
                .link: "\(root)/link/below",
                .circle: "\(root)/circle",
                .tooLong: "\(root)/\(String(repeating: "n", count: 300))",
                // Root passes all permission checks, but cannot create files in /proc.
                .closed: geteuid() == 0 ? "/proc/1/fdinfo/below" : "\(root)/closed/below",
                .readOnly: "/sys/below",
            ]
        }

        /// Runs a command to its end.
        private func run(
            _ arguments: [String],
            input: String = "",
            environment: [String: String] = [:]
        ) throws -> (status: Int32, said: String) {
            let errors = "\(folder.path)/errors-\(UUID().uuidString)"
            var variables = ["HOME": folder.path, "STOA_TOKEN": "x", "XDG_DATA_HOME": ""]
            variables.merge(environment) { $1 }
            let program = try Program(
                StoaServer.program,
                arguments,
                input: input,
                environment: variables,
                errorPath: errors
            )
            let (end, output) = try program.end(within: .seconds(60))
            guard case .exited(let status) = end else { throw HarnessError("\(arguments): \(end)") }
            return (status, output + program.errorOutput)
        }

        /// Runs a command that must fail, and checks its message.
        private func refusal(
            _ arguments: [String],
            of path: String,
            environment: [String: String] = [:],
            sourceLocation: SourceLocation = #_sourceLocation
        ) throws {
            let (status, said) = try run(
                arguments,
                input: "a good password\n",
                environment: environment
            )
            let comment = Comment(rawValue: "\(arguments): \(status): \(said)")
            #expect(status != 0, comment, sourceLocation: sourceLocation)
            // The message may name a parent instead.
            let parent = path.split(separator: "/").dropLast().map { "/\($0)" }.joined()
            #expect(said.contains(parent), comment, sourceLocation: sourceLocation)
            for word in ["Domain", "NSCocoa", "NSPOSIX", "UserInfo", "Code=", "Error(", "Swift."] {
                #expect(!said.contains(word), comment, sourceLocation: sourceLocation)
            }
        }

        @Test(
            "as data directories",
            arguments: [
                ["serve", "--port", "0"], ["migrate"], ["user", "add", "ann", "--password-stdin"],
            ]
        )
        func dataDirectories(command: [String]) throws {
            for path in paths.values {
                try refusal(command + ["--data-dir", path], of: path)
            }
            let file = "\(folder.path)/file"
            try refusal(command + ["--data-dir", file], of: "\(file)/x")
        }

        @Test("as configuration files, certificates and sockets of a server")
        func serverFiles() throws {
            let serve = ["serve", "--port", "0", "--data-dir", "\(folder.path)/data"]
            for path in paths.values {
                try refusal(
                    serve + ["--tls-certificate", path, "--tls-key", path],
                    of: path
                )
                try refusal(serve + ["--config", path], of: path)
            }
            try refusal(serve + ["--config", folder.path], of: "\(folder.path)/x")
        }

        @Test("as models, messages and receipts of an answer")
        func generated() throws {
            let generate = ["generate", "--prompt", "a", "--max-tokens", "1", "--model", Self.demo]
            for path in paths.values {
                try refusal(["generate", "--prompt", "a", "--model", path], of: path)
                try refusal(["generate", "--messages", path], of: path)
                try refusal(["generate", "--replay", path], of: path)
                try refusal(generate + ["--receipt", path], of: path)
                // The demo model is written below it.
                try refusal(
                    ["generate", "--prompt", "a"],
                    of: path,
                    environment: ["XDG_DATA_HOME": path]
                )
            }
            let unusable = folder.path
            try refusal(["generate", "--messages", unusable], of: "\(unusable)/x")
            try refusal(["generate", "--replay", unusable], of: "\(unusable)/x")
            try refusal(generate + ["--receipt", unusable], of: "\(unusable)/x")
        }

        @Test(
            "as model folders",
            arguments: ["info", "tokenize", "detokenize", "render", "logits"]
        )
        func models(command: String) throws {
            for path in paths.values { try refusal(["model", command, path], of: path) }
            try refusal(["model", command, "\(folder.path)/file"], of: "\(folder.path)/file")
        }

        @Test("as files of exports and imports")
        func transfers() throws {
            let server = ["--server", "http://127.0.0.1:1"]
            for path in paths.values {
                // The file written first is the path with the suffix .part, which is not a link to
                // itself.
                if path != paths[.circle] {
                    try refusal(["export", "--output", path] + server, of: path)
                }
                try refusal(["import", path] + server, of: path)
            }
            try refusal(["import", folder.path] + server, of: "\(folder.path)/x")
        }

        @Test("as the hub's cache")
        func cache() throws {
            let hub = try DemoHub()
            for path in paths.values {
                try refusal(
                    ["model", "pull", DemoHub.model],
                    of: path,
                    environment: ["HF_HOME": path, "HF_ENDPOINT": hub.address]
                )
            }
        }

        @Test("as data directories that the doctor checks")
        func doctor() throws {
            for path in paths.values {
                try refusal(["doctor", "--data-dir", path], of: path)
            }
            let file = "\(folder.path)/file"
            try refusal(["doctor", "--data-dir", file], of: "\(file)/x")
        }

        @Test(
            "a name with direction overrides or terminal escapes is shown as text"
        )
        func controls() throws {
            let path = "\(folder.path)/\u{202E}gnp.exe\u{1B}[2J"
            let (status, said) = try run(["import", path, "--server", "http://127.0.0.1:1"])
            #expect(status == 66)
            #expect(said.contains("\(folder.path)/gnp.exe: "), "\(said)")
        }
    }
}
