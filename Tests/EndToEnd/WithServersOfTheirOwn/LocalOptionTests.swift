// The options of `stoa generate` and `stoa model`: each has an effect.

import Checkpoints
import FoundationEssentials
import Glibc
import JSONText
import TestSupport
import Testing

extension EndToEnd.WithServersOfTheirOwn {
    @Suite("Options of commands without a server")
    struct LocalOptionTests {
        private static let demo = "\(SharedFiles.packageRoot)/Sources/BundledFiles/demo-model"

        private let folder: TemporaryFolder

        init() throws {
            folder = try TemporaryFolder()
        }

        private func run(
            _ arguments: [String],
            environment: [String: String] = [:]
        ) throws -> (end: Program.End, output: String, errors: String) {
            let errors = "\(folder.path)/errors-\(UUID().uuidString)"
            let program = try Program(
                StoaServer.program,
                arguments,
                environment: ["XDG_DATA_HOME": folder.path].merging(environment) { $1 },
                errorPath: errors
            )
            let (end, output) = try program.end(within: .seconds(60))
            return (end, output, program.errorOutput)
        }

        /// A run's receipt and its output.
        private func generate(
            _ options: [String]
        ) throws -> (receipt: JSONValue, output: String, errors: String) {
            let path = "\(folder.path)/\(UUID().uuidString)"
            let (end, output, errors) = try run(["generate", "--receipt", path] + options)
            try #require(end == .exited(0), "\(errors)")
            return (try MappedFile(path: path).parseJSON(), output, errors)
        }

        private func promptTokens(_ receipt: JSONValue) -> [JSONValue]? {
            receipt["prompt"]?["ids"]?.array
        }

        @Test("--prompt, --messages and --system make the prompt")
        func prompts() throws {
            let story = ["--prompt", "Tell me a long story.", "--max-tokens", "4"]
            let plain = try generate(story)
            #expect(plain.errors.contains(" 4 tokens"), "\(plain.errors)")
            let file = try folder.write(
                "messages",
                Array(#"[{"role":"user","content":"Tell me a long story."}]"#.utf8)
            )
            let same = try generate(["--messages", file, "--max-tokens", "4"])
            #expect(promptTokens(same.receipt) == promptTokens(plain.receipt))
            #expect(same.output == plain.output)
            let other = try generate(["--system", "Be brief."] + story)
            #expect(promptTokens(other.receipt) != promptTokens(plain.receipt))
            let copy = try TheModels.copyDemo(to: "\(folder.path)/copy")
            let named = try generate(["--model", copy] + story)
            #expect(named.output == plain.output)
            #expect(named.receipt["model"]?["name"] == .string("copy"))
        }

        @Test("--adapter changes the answer, which its receipt repeats")
        func adapters() throws {
            let story = ["--prompt", "Tell me a long story.", "--max-tokens", "12"]
            let adapter = try RandomAdapter.ofDemoModel(seed: 5)
            let path = "\(folder.path)/adapted"
            let options = story + ["--adapter", adapter.path]
            let (end, output, errors) = try run(["generate", "--receipt", path] + options)
            try #require(end == .exited(0), "\(errors)")
            #expect(try output != generate(story).output)
            let hash = try MappedFile(path: path).parseJSON()["adapter"]?["hash"]?.string
            #expect(hash?.utf8.count == 64)
            let replay = ["generate", "--replay", path]
            let again = try run(replay + ["--adapter", adapter.path])
            #expect(again.end == .exited(0), "\(again.errors)")
            #expect(!again.errors.contains("note:"))
            let without = try run(replay)
            #expect(without.end == .exited(1))
            #expect(without.errors.contains("the adapter is another one"))
            let none = try run(["generate", "--adapter", "\(folder.path)/none"] + story)
            #expect(none.end == .exited(66))
            #expect(none.errors.contains("has no adapter_config.json"))
        }

        @Test("--temperature and --seed control sampling")
        func sampling() throws {
            let story = ["--prompt", "Tell me a long story.", "--max-tokens", "24"]
            func text(_ options: [String]) throws -> String { try generate(story + options).output }
            let hot = ["--temperature", "2"]
            let first = try text(hot + ["--seed", "1"])
            #expect(try text(hot + ["--seed", "1"]) == first)
            #expect(try text(hot + ["--seed", "2"]) != first)
            #expect(try text([]) == text(["--temperature", "0", "--seed", "9"]))
            #expect(try text([]) != first)
        }

        @Test("stoa settings lists the settings, or prints their page")
        func settings() throws {
            let list = try run(["settings"]).output
            #expect(list.contains("  --data-dir FOLDER\n"))
            let help = try run(["help", "settings"]).output
            #expect(help.contains("  --data-dir FOLDER\n") && help.contains("USAGE: stoa settings"))
            let page = try run(["settings", "--markdown"]).output
            let path = "\(SharedFiles.packageRoot)/docs/reference/settings.md"
            #expect(page == (try String(contentsOfFile: path, encoding: .utf8)))
        }

        @Test("models are downloaded, verified and removed as their options say")
        func models() throws {
            let hub = try DemoHub()
            let cache = ["HF_HOME": "\(folder.path)/hub", "HF_ENDPOINT": hub.address]
            func model(_ arguments: [String]) throws -> (end: Program.End, output: String) {
                let (end, output, errors) = try run(["model"] + arguments, environment: cache)
                return (end, output + errors)
            }
            let plan = try model(["pull", DemoHub.model, "--dry-run"])
            #expect(plan.end == .exited(0) && hub.weightRequestCount == 0, "\(plan)")
            #expect(try model(["list", "--json"]).output == "[\n\n]\n")
            let pulled = try model(["pull", DemoHub.model, "--revision", "v1"])
            #expect(pulled.end == .exited(0) && hub.weightRequestCount > 0, "\(pulled)")
            #expect(try model(["list"]).output.contains(" v1 "))

            let verified = try run(
                ["model", "verify", DemoHub.model, "--json"],
                environment: cache
            )
            let files = try JSONValue(parsing: Array(verified.output.utf8)).array
            #expect(verified.end == .exited(0) && (files?.count ?? 0) > 3, "\(verified)")
            let weights = try #require(try weightsFile())
            #expect(truncate(weights, 100) == 0)
            #expect(try model(["verify", DemoHub.model]).end == .exited(65))
            #expect(FileManager.default.fileExists(atPath: weights))
            #expect(try model(["verify", DemoHub.model, "--remove-damaged"]).end == .exited(65))
            #expect(!FileManager.default.fileExists(atPath: weights))

            #expect(try model(["remove", DemoHub.model]).end == .exited(64))
            #expect(
                try model(["remove", DemoHub.model, "--yes", "--revision", "no"]).end != .exited(0)
            )
            #expect(try model(["remove", DemoHub.model, "--yes"]).end == .exited(0))
            #expect(try model(["list", "--json"]).output == "[\n\n]\n")
            let info = try run(["model", "info", Self.demo, "--json"])
            #expect(try JSONValue(parsing: Array(info.output.utf8))["context_length"] != nil)
        }

        /// The weights' file in the cache, following the link to it.
        private func weightsFile() throws -> String? {
            let model = DemoHub.model.replacing("/", with: "--")
            let snapshots = "\(folder.path)/hub/hub/models--\(model)/snapshots"
            let commits = try FileManager.default.contentsOfDirectory(atPath: snapshots)
            let link = "\(snapshots)/\(commits.first ?? "")/model.safetensors"
            guard let path = realpath(link, nil) else { return nil }
            defer { free(path) }
            return String(cString: path)
        }
    }
}
