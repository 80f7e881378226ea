// Models of the hub's cache, by their names: `org/name:Q4_K_M` is one GGUF file of a repository.

import ChatProtocol
import FoundationEssentials
import TestSupport
import Testing

extension EndToEnd.WithServersOfTheirOwn {
    @Suite("GGUF files by their repository's name")
    struct NamedModelTests {
        private let folder: TemporaryFolder
        private let environment: [String: String]

        /// Makes a cache with two files of one repository.
        init() throws {
            folder = try TemporaryFolder()
            environment = ["HF_HUB_CACHE": "\(folder.path)/hub", "XDG_DATA_HOME": folder.path]
            let model = "\(folder.path)/hub/models--org--tiny"
            let commit = String(repeating: "a", count: 40)
            let snapshot = "\(model)/snapshots/\(commit)"
            for path in ["\(model)/refs", snapshot] {
                try FileManager.default.createDirectory(
                    atPath: path,
                    withIntermediateDirectories: true
                )
            }
            try folder.write("hub/models--org--tiny/refs/main", Array(commit.utf8))
            for quantization in ["Q4_0", "Q4_K_M"] {
                try FileManager.default.createSymbolicLink(
                    atPath: "\(snapshot)/tiny-\(quantization).gguf",
                    withDestinationPath: Self.file(quantization)
                )
            }
        }

        private static func file(_ quantization: String) -> String {
            "\(SharedFiles.packageRoot)/Tests/PhiModelTests/Golden/"
                + "gguf-\(quantization.lowercased())/model.gguf"
        }

        private func run(
            _ arguments: [String]
        ) throws -> (end: Program.End, output: String, errors: String) {
            let program = try Program(
                StoaServer.program,
                arguments,
                environment: environment,
                errorPath: "\(folder.path)/errors-\(UUID().uuidString)"
            )
            let (end, output) = try program.end(within: .seconds(60))
            return (end, output, program.errorOutput)
        }

        @Test(
            "stoa generate answers with the file, in any case of the name",
            arguments: ["Q4_0", "q4_k_m"]
        )
        func generate(quantization: String) throws {
            let options = ["--prompt", "the heat", "--max-tokens", "12"]
            let named = try run(["generate", "--model", "org/tiny:\(quantization)"] + options)
            let direct = try run(["generate", "--model", Self.file(quantization)] + options)
            #expect(named.end == .exited(0), "\(named.errors)")
            #expect(named.output == direct.output)
        }

        @Test(
            "commands about a model's files take the name; of one that is absent they say how to fetch it"
        )
        func commands() throws {
            let info = try run(["model", "info", "org/tiny:Q4_0", "--json"])
            #expect(info.end == .exited(0), "\(info.errors)")
            #expect(info.output.contains("tiny-Q4_0.gguf"))
            let other = try run(["model", "info", "org/tiny:tiny-Q4_K_M.gguf"])
            #expect(other.end == .exited(0), "\(other.errors)")
            for command in [["model", "info"], ["generate", "--prompt", "x", "--model"]] {
                let absent = try run(command + ["org/tiny:Q8_0"])
                #expect(absent.end == .exited(66))
                #expect(absent.errors.contains("stoa model pull org/tiny:Q8_0"), "\(absent.errors)")
            }
        }

        @Test("commands about a whole repository say so", arguments: ["verify", "remove"])
        func wholeRepository(command: String) throws {
            let refused = try run(["model", command, "org/tiny:Q4_0"])
            #expect(refused.end == .exited(64))
            #expect(refused.errors.contains("name org/tiny"), "\(refused.errors)")
        }

        @Test("stoa serve --model offers files of one repository by their names, and they answer")
        func serve() throws {
            let names = ["org/tiny:Q4_0", "org/tiny:Q4_K_M"]
            let server = try StoaServer(
                names.flatMap { ["--model", $0] } + ["--titles", "off"],
                environment: environment
            )
            try server.addUser("ada")
            let ada = try server.connect(server.signIn("ada"))
            let list: ModelListReply = try ada.call(.modelList)
            #expect(list.models.map(\.name).sorted() == names)
            let conversation = try ada.createConversation(
                settings: GenerationSettings(temperature: 0, maxTokens: 8)
            )
            var mirror = try ada.watch(conversation)
            _ = try ada.ask("the heat", in: conversation, &mirror)
            let answer = try #require(ada.messages(of: conversation).last)
            #expect(answer.state == .complete)
        }
    }
}
