// The cache shared with huggingface_hub, where it is installed: STOA_HUB_PYTHON names an interpreter that
// has it.

import EventLoop
import FoundationEssentials
import HTTPProtocol
import ModelHub
import TestSupport
import Testing

private let python = ProcessInfo.processInfo.environment["STOA_HUB_PYTHON"]

@Suite("The cache and huggingface_hub", .enabled(if: python != nil), .timeLimit(.minutes(2)))
struct PythonTests {
    private static let patterns = #"["*.json", "model*.safetensors"]"#

    /// Runs a script against the hub with the scene's cache.
    /// - Returns: what it printed.
    private func run(_ script: String, _ hub: HubDouble, _ cacheFolder: String) async throws
        -> String
    {
        let output = try TemporaryFolder()
        let pool = try WorkerPool(name: "wait", threads: 1, queueLimit: 1)
        let child = try ChildProcess(
            [python ?? "", "-W", "error", "-c", script],
            [
                "HF_ENDPOINT": hub.address, "HF_HUB_CACHE": cacheFolder, "HF_HOME": output.path,
                "HF_HUB_DISABLE_TELEMETRY": "1", "HF_HUB_DISABLE_PROGRESS_BARS": "1",
            ],
            outputPath: "\(output.path)/said"
        )
        let end = try await child.end(pool)
        let said = FileManager.default.contents(atPath: "\(output.path)/said") ?? Data()
        let text = String(decoding: said, as: UTF8.self)
        #expect(end == .exited(0), "\(text)")
        return text.split(separator: "\n").last.map(String.init) ?? ""
    }

    @Test("huggingface_hub finds offline what Stoa fetched")
    func fetchedByUs() async throws {
        let cache = try TemporaryFolder()
        let cacheFolder = cache.path
        try await EventLoop.run { loop in
            let hub = try HubDouble(loop)
            defer { hub.close() }
            let settings = try HubConfiguration(environment: [
                "HF_ENDPOINT": hub.address, "HF_HUB_CACHE": cacheFolder,
            ])
            let pull = try ModelPull(loop: loop, configuration: settings)
            let folder = try await pull.run(ModelName("org/name"))
            hub.forgetRequests()
            let found = try await run(
                """
                from huggingface_hub import *
                folder = snapshot_download("org/name", local_files_only=True)
                file = try_to_load_from_cache("org/name", "model.safetensors")
                assert file == folder + "/model.safetensors", file
                info = scan_cache_dir()
                assert not info.warnings, info.warnings
                repo, = info.repos
                revision, = repo.revisions
                assert (repo.repo_id, revision.refs, repo.nb_files) == \
                    ("org/name", frozenset(["main"]), 3), repo
                print(folder)
                """,
                hub,
                cacheFolder
            )
            #expect(found == folder)
            #expect(!hub.hubRequests.contains { $0.target.contains("org/name") })
            // Online it checks for changes, and fetches the one file that a model does not need.
            _ = try await run(
                "from huggingface_hub import *; snapshot_download('org/name')",
                hub,
                cacheFolder
            )
            #expect(FileManager.default.fileExists(atPath: "\(folder)/README.md"))
            #expect(!hub.fileRequests.contains { $0.method == .get && $0.path.contains("model.") })
        }
    }

    @Test("Stoa finds what huggingface_hub fetched, and does not fetch it again")
    func fetchedByPython() async throws {
        let cache = try TemporaryFolder()
        let cacheFolder = cache.path
        try await EventLoop.run { loop in
            let hub = try HubDouble(loop)
            defer { hub.close() }
            let folder = try await run(
                """
                from huggingface_hub import *
                print(snapshot_download("org/name", allow_patterns=\(Self.patterns)))
                """,
                hub,
                cacheFolder
            )
            let name = try ModelName("org/name")
            let cache = ModelCache(folder: cacheFolder)
            #expect(cache.snapshot(of: name) == folder)
            #expect(try cache.verify(name).allSatisfy { $0.state == .whole })
            hub.forgetRequests()
            let settings = try HubConfiguration(environment: [
                "HF_ENDPOINT": hub.address, "HF_HUB_CACHE": cacheFolder,
            ])
            let pull = try ModelPull(loop: loop, configuration: settings)
            #expect(try await pull.run(name) == folder)
            #expect(hub.fileRequests.isEmpty)
            try cache.remove(name)
            let left = try FileManager.default.contentsOfDirectory(atPath: cacheFolder)
            #expect(Set(left).isSubset(of: [".locks", "CACHEDIR.TAG"]))
        }
    }
}
