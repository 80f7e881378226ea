// Pulls of single GGUF files.

import FoundationEssentials
import HTTPProtocol
import ModelHub
import Testing

@Suite("Pulling a GGUF file", .timeLimit(.minutes(1)))
struct GGUFPullTests {
    private static let files = [
        "phi-4-mini-Q4_K_M.gguf", "phi-4-mini-Q8_0.gguf", "phi-4-mini-UD-Q4_K_XL.gguf",
        "large-F16-00001-of-00002.gguf", "large-F16-00002-of-00002.gguf", "README.md",
    ]

    private static func addFiles(to scene: HubScene, folder: Bool = false) {
        if !folder { scene.hub.repository.files = [:] }
        for (index, name) in files.enumerated() {
            scene.hub.repository.files[name] = RepositoryDouble.weights(
                200_000 + index,
                seed: UInt64(index + 1)
            )
        }
    }

    @Test(
        "one is chosen by its quantization or its name, and nothing else is fetched",
        arguments: [
            ("Q4_K_M", files[0]), ("q8_0", files[1]), ("UD-Q4_K_XL", files[2]),
            ("phi-4-mini-Q8_0.gguf", files[1]), ("PHI-4-MINI-q4_k_m", files[0]),
        ]
    )
    func choice(_ choice: String, _ file: String) async throws {
        try await HubScene.run { scene in
            Self.addFiles(to: scene)
            let path = try await scene.pull("org/name:\(choice)")
            #expect(path == "\(scene.modelFolder)/snapshots/\(HubDouble.commit)/\(file)")
            let content = FileManager.default.contents(atPath: path).map { Array($0) }
            #expect(content == scene.hub.repository.files[file])
            #expect(scene.hub.servedByteCount == scene.hub.repository.files[file]?.count)
            #expect(scene.leftovers.isEmpty)
            scene.hub.forgetRequests()
            #expect(try await scene.pull("org/name:\(choice)") == path)
            #expect(scene.hub.fileRequests.isEmpty)
        }
    }

    @Test("files of a repository are beside each other, and the folder's beside them")
    func several() async throws {
        try await HubScene.run { scene in
            Self.addFiles(to: scene, folder: true)
            let first = try await scene.pull("org/name:Q4_K_M")
            let second = try await scene.pull("org/name:Q8_0")
            let folder = try await scene.pull()
            scene.hub.forgetRequests()
            for path in [first, second] {
                #expect(FileManager.default.fileExists(atPath: path))
                #expect(path.hasPrefix(folder))
            }
            #expect(try await scene.pull("org/name:Q4_K_M") == first)
            #expect(try await scene.pull() == folder)
            #expect(scene.hub.fileRequests.isEmpty)
            let files = try scene.cache.verify(ModelName("org/name"))
            #expect(files.count == 5 && files.allSatisfy { $0.state == .whole })
            #expect(scene.cache.models().map(\.isComplete) == [true])
            let offline = try scene.configuration(["HF_HUB_OFFLINE": "1"])
            #expect(try await scene.pull("org/name:q8_0", offline) == second)
            #expect(try scene.cache.path(of: PullTarget("org/name:q8_0")) == second)
            #expect(try scene.cache.path(of: PullTarget("org/name")) == folder)
            for absent in ["org/name:UD-Q4_K_XL", "org/name:Q5_K_M", "org/other:Q8_0"] {
                #expect(try scene.cache.path(of: PullTarget(absent)) == nil)
            }
            await #expect(throws: HubError.self) {
                try await scene.pull("org/name:UD-Q4_K_XL", offline)
            }
        }
    }

    @Test("a pull that ended early resumes with the missing pieces")
    func resume() async throws {
        try await HubScene.run { scene in
            Self.addFiles(to: scene)
            var settings = try scene.configuration()
            settings.connections = 1
            settings.retry.attemptsMax = 1
            var isFirst = true
            scene.hub.onServe = { [hub = scene.hub] _, range in
                guard range.lowerBound == 65_536, isFirst else { return }
                isFirst = false
                hub.faults.fileRefusals = [HTTPResponseHead(HTTPStatus(500))]
            }
            await #expect(throws: HubError.self) {
                try await scene.pull("org/name:Q4_K_M", settings)
            }
            scene.hub.onServe = { _, _ in }
            scene.hub.forgetRequests()
            let path = try await scene.pull("org/name:Q4_K_M")
            let content = FileManager.default.contents(atPath: path).map { Array($0) }
            #expect(content == scene.hub.repository.files[Self.files[0]])
            #expect(scene.hub.servedByteCount == 200_000 - 2 * 65_536)
        }
    }

    @Test(
        "what cannot be fetched is refused by name, with what there is",
        arguments: [
            ("Q2_K", "phi-4-mini-Q8_0.gguf"), ("F16", "llama-gguf-split --merge"),
            ("large-F16-00001-of-00002.gguf", "but"), ("", "org/name"), ("a/b", "a/b"),
        ]
    )
    func refusals(_ choice: String, _ part: String) async throws {
        try await HubScene.run { scene in
            Self.addFiles(to: scene)
            do {
                _ = try await scene.pull("org/name:\(choice)")
                Issue.record("the pull succeeded")
            } catch {
                #expect("\(error)".contains(part) || choice.isEmpty, "\(error)")
            }
        }
    }

    @Test("a quantization that two files have is refused with their names")
    func ambiguous() async throws {
        try await HubScene.run { scene in
            Self.addFiles(to: scene)
            scene.hub.repository.files["other-Q8_0.gguf"] = [1]
            do {
                _ = try await scene.pull("org/name:Q8_0")
                Issue.record("the pull succeeded")
            } catch {
                #expect("\(error)".contains("other-Q8_0.gguf or phi-4-mini-Q8_0.gguf"), "\(error)")
            }
        }
    }

    @Test("a repository of GGUF files alone says how one is named")
    func withoutFolder() async throws {
        try await HubScene.run { scene in
            Self.addFiles(to: scene)
            do {
                _ = try await scene.pull()
                Issue.record("the pull succeeded")
            } catch {
                #expect("\(error)".contains("org/name:Q4_K_M"), "\(error)")
            }
        }
    }
}
