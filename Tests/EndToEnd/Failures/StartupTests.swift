// A server that cannot start explains why, exits with a specific status, and leaves nothing.

import FoundationEssentials
import Glibc
import TestSupport
import Testing

extension EndToEnd.Failures {
    @Suite("Failing starts")
    struct WhenItCannotStart {
        /// Starts a server that must fail.
        /// - Returns: its error message.
        @discardableResult
        private func refusal(
            _ arguments: [String],
            in folder: TemporaryFolder,
            says words: [String],
            within duration: Duration = .seconds(60),
            sourceLocation: SourceLocation = #_sourceLocation
        ) throws -> String {
            let errors = "\(folder.path)/errors-\(UUID().uuidString)"
            let program = try Program(
                StoaServer.program,
                ["serve"] + (arguments.contains("--port") ? [] : ["--port", "0"]) + arguments,
                environment: ["HOME": folder.path],
                errorPath: errors
            )
            let (end, output) = try program.end(within: duration)
            let said = program.errorOutput
            guard case .exited(let status) = end, status != 0 else {
                Issue.record("\(end): \(said)", sourceLocation: sourceLocation)
                return said
            }
            #expect(!output.contains("ready"), sourceLocation: sourceLocation)
            for word in words {
                #expect(said.contains(word), "\(said)", sourceLocation: sourceLocation)
            }
            let data = "\(folder.path)/data/postgres/data/postmaster.pid"
            #expect(
                !FileManager.default.fileExists(atPath: data),
                "PostgreSQL was left running",
                sourceLocation: sourceLocation
            )
            return said
        }

        @Test("a missing or damaged model folder is named, with the cause")
        func models() throws {
            let folder = try TemporaryFolder()
            let data = ["--data-dir", "\(folder.path)/data"]
            let model = "\(folder.path)/model"
            try refusal(data + ["--model", model], in: folder, says: [model])

            let demo = "\(SharedFiles.packageRoot)/Sources/BundledFiles/demo-model"
            try FileManager.default.createDirectory(
                atPath: model,
                withIntermediateDirectories: false
            )
            for file in try FileManager.default.contentsOfDirectory(atPath: demo) {
                let bytes = try Data(contentsOf: URL(filePath: "\(demo)/\(file)"))
                try bytes.write(to: URL(filePath: "\(model)/\(file)"))
            }
            let weights = "\(model)/model.safetensors"
            let bytes = try Data(contentsOf: URL(filePath: weights))
            try bytes.prefix(bytes.count / 2).write(to: URL(filePath: weights))
            try refusal(data + ["--model", model], in: folder, says: ["model.safetensors"])
            try Data(repeating: 0xFF, count: 4096).write(to: URL(filePath: weights))
            try refusal(data + ["--model", model], in: folder, says: ["model.safetensors"])
            try bytes.write(to: URL(filePath: weights))
            try Data("{".utf8).write(to: URL(filePath: "\(model)/config.json"))
            try refusal(data + ["--model", model], in: folder, says: ["config.json"])
            try FileManager.default.removeItem(atPath: "\(model)/config.json")
            try refusal(data + ["--model", model], in: folder, says: ["config.json"])
        }

        @Test("a port in use is the first and only error: nothing is opened or written before")
        func portInUse() throws {
            let folder = try TemporaryFolder()
            let (socket, port) = try listeningSocket()
            defer { close(socket) }
            let said = try refusal(
                ["--data-dir", "\(folder.path)/data", "--port", "\(port)", "--model", "/nowhere"],
                in: folder,
                says: ["\(port)", "in use", "--port"]
            )
            #expect(said.ranges(of: "\(port)").count == 1, "\(said)")
            #expect(!said.contains("/nowhere"))
            #expect(said.split(separator: "\n").count == 1, "\(said)")
            #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/data"))
        }

        @Test(
            "an unknown option, or an invalid value, is named",
            arguments: [
                ["--no-such-flag"], ["--port", "http"], ["--port", "70000"], ["--slots", "0"],
                ["--temperature", "hot"], ["--log-level", "loud"], ["--public-url", "here"],
                ["--host", "none"], ["--unix-socket-mode", "rw"], ["--forwarded-header", "via"],
            ]
        )
        func flags(arguments: [String]) throws {
            let folder = try TemporaryFolder()
            try refusal(
                ["--data-dir", "\(folder.path)/data"] + arguments,
                in: folder,
                says: [arguments[0].trimmingPrefix("--").description]
            )
        }

        @Test("an unreachable database is named, without its password")
        func databases() throws {
            let folder = try TemporaryFolder()
            let data = ["--data-dir", "\(folder.path)/data"]
            let url = "postgresql://stoa:secret-word@127.0.0.1:1/stoa"
            let said = try refusal(
                data + ["--database-url", url, "--database-wait-seconds", "0"],
                in: folder,
                says: ["127.0.0.1"]
            )
            #expect(!said.contains("secret-word"))
            #expect(!said.contains("retrying"))
            try refusal(data + ["--database-url", "here"], in: folder, says: ["database URL"])
        }

        @Test("a data directory that cannot be created is named")
        func dataDirectories() throws {
            let folder = try TemporaryFolder()
            let file = try folder.write("file", [])
            try refusal(["--data-dir", "\(file)/data"], in: folder, says: [file])
        }
    }
}
