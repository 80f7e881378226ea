// Pulls from a hub without faults.

import FoundationEssentials
import HTTPProtocol
import ModelHub
import Testing

@Suite("Pulling a model", .timeLimit(.minutes(1)))
struct PullTests {
    @Test("a pull fetches the files that a model needs, and a second one fetches nothing")
    func plain() async throws {
        try await HubScene.run { scene in
            let folder = try await scene.pull()
            scene.expectAll(in: folder)
            #expect(folder == "\(scene.modelFolder)/snapshots/\(HubDouble.commit)")
            #expect(!FileManager.default.fileExists(atPath: "\(folder)/README.md"))
            #expect(scene.leftovers.isEmpty)
            scene.hub.forgetRequests()
            #expect(try await scene.pull() == folder)
            #expect(scene.hub.fileRequests.isEmpty)
        }
    }

    @Test("files are links to blobs named by digest, and main points to the commit")
    func layout() async throws {
        try await HubScene.run { scene in
            let folder = try await scene.pull()
            let link = try FileManager.default.destinationOfSymbolicLink(
                atPath: "\(folder)/model.safetensors"
            )
            let digest = scene.hub.repository.digest(of: "model.safetensors")
            #expect(link == "../../blobs/\(digest)")
            let ref = FileManager.default.contents(atPath: "\(scene.modelFolder)/refs/main")
            #expect(ref == Data(HubDouble.commit.utf8))
        }
    }

    @Test("a large file is fetched in pieces, each once")
    func pieces() async throws {
        try await HubScene.run { scene in
            try await scene.pull()
            let ranges = scene.hub.storageRequests.compactMap { $0.headers[.range] }
            #expect(ranges.count == 5)
            #expect(Set(ranges).contains("bytes=65536-131071"))
            #expect(Set(ranges).contains("bytes=262144-299999"))
            #expect(
                scene.hub.servedByteCount
                    == scene.hub.repository.files.filter { $0.key != "README.md" }
                    .reduce(0) { $0 + $1.value.count }
            )
        }
    }

    @Test("the token is sent to the hub only")
    func token() async throws {
        try await HubScene.run { scene in
            try await scene.pull()
            let isShown = scene.hub.hubRequests.allSatisfy {
                $0.headers[.authorization] == "Bearer secret"
            }
            #expect(isShown)
            #expect(!scene.hub.storageRequests.isEmpty)
            #expect(!scene.hub.storageRequests.contains { $0.headers.contains(.authorization) })
        }
    }

    @Test("a list of several pages is read to its end")
    func pages() async throws {
        try await HubScene.run { scene in
            scene.hub.faults.pageEntriesMax = 1
            scene.expectAll(in: try await scene.pull())
        }
    }

    @Test("a model that was renamed is found under its old name")
    func renamed() async throws {
        try await HubScene.run { scene in
            scene.hub.faults.renamedFrom = "org/old"
            scene.expectAll(in: try await scene.pull("org/old"))
        }
    }

    @Test("a branch with a slash gets its own ref in the cache")
    func nestedRevision() async throws {
        try await HubScene.run { scene in
            try await scene.pull(revision: "refs/pr/1")
            let path = "\(scene.modelFolder)/refs/refs/pr/1"
            #expect(FileManager.default.contents(atPath: path) == Data(HubDouble.commit.utf8))
            #expect(
                scene.cache.snapshot(of: try ModelName("org/name"), revision: "refs/pr/1") != nil
            )
        }
    }

    @Test("a commit that the cache holds is not requested")
    func commit() async throws {
        try await HubScene.run { scene in
            let folder = try await scene.pull()
            scene.hub.forgetRequests()
            #expect(try await scene.pull(revision: HubDouble.commit) == folder)
            #expect(scene.hub.hubRequests.isEmpty)
        }
    }

    @Test("a complete cache is not written to")
    func nothingToDo() async throws {
        try await HubScene.run { scene in
            let folder = try await scene.pull()
            let locks = "\(scene.cacheFolder)/.locks"
            try FileManager.default.removeItem(atPath: locks)
            #expect(try await scene.pull() == folder)
            #expect(!FileManager.default.fileExists(atPath: locks))
        }
    }

    @Test("offline mode uses the cache and makes no requests")
    func offline() async throws {
        try await HubScene.run { scene in
            let offline = try scene.configuration(["HF_HUB_OFFLINE": "yes"])
            await scene.expectFailure(offline) { if case .offline = $0 { true } else { false } }
            #expect(scene.hub.hubRequests.isEmpty)
            let folder = try await scene.pull()
            scene.hub.forgetRequests()
            #expect(try await scene.pull("org/name", offline) == folder)
            #expect(scene.hub.hubRequests.isEmpty)
        }
    }

    @Test("if the hub cannot be reached, the cache's copy is used")
    func unreachable() async throws {
        try await HubScene.run { scene in
            let folder = try await scene.pull()
            scene.hub.faults.refusesAll = HTTPResponseHead(HTTPStatus(503))
            #expect(try await scene.pull() == folder)
            #expect(scene.record.all.last?.note?.contains("503") == true)
        }
    }

    @Test("empty files are stored")
    func emptyFile() async throws {
        try await HubScene.run { scene in
            scene.hub.repository.files["merges.txt"] = []
            scene.hub.repository.files["model-2.safetensors"] = []
            scene.expectAll(in: try await scene.pull())
        }
    }

    @Test("identical content under two names is fetched once")
    func twins() async throws {
        try await HubScene.run { scene in
            scene.hub.repository.files["generation_config.json"] = Array("{}".utf8)
            scene.expectAll(in: try await scene.pull())
            #expect(scene.hub.fileRequests.filter { $0.target.hasSuffix(".json") }.count == 2)
        }
    }

    @Test("a plan says what is missing and fetches nothing")
    func plan() async throws {
        try await HubScene.run { scene in
            let pull = try ModelPull(loop: scene.loop, configuration: scene.configuration())
            let plan = try await pull.plan(PullTarget("org/name"))
            #expect(plan.files == ["config.json", "model.safetensors", "tokenizer.json"])
            #expect(plan.totalBytes == 300_014)
            #expect(plan.missingBytes == plan.totalBytes)
            #expect(scene.hub.fileRequests.isEmpty)
        }
    }

    @Test("a model's size is known from its list of files and its configuration")
    func size() async throws {
        try await HubScene.run { scene in
            let pull = try ModelPull(loop: scene.loop, configuration: scene.configuration())
            let size = try await pull.size(of: ModelName("org/name"))
            #expect(size.totalBytes == 300_014)
            #expect(size.weightBytes == 300_000)
            #expect(size.configuration == Array("{}".utf8))
            #expect(scene.hub.fileRequests.map { $0.target.suffix(11) } == ["config.json"])
            #expect(!FileManager.default.fileExists(atPath: scene.modelFolder))
        }
    }

    @Test("without the hub, a model's size is not known")
    func offlineSize() async throws {
        try await HubScene.run { scene in
            let settings = try scene.configuration(["HF_HUB_OFFLINE": "1"])
            let pull = try ModelPull(loop: scene.loop, configuration: settings)
            await #expect {
                _ = try await pull.size(of: ModelName("org/name"))
            } throws: { error in
                if case .offline? = error as? HubError { true } else { false }
            }
            #expect(scene.hub.hubRequests.isEmpty)
        }
    }

    @Test("progress ends with all bytes done")
    func progress() async throws {
        try await HubScene.run { scene in
            try await scene.pull()
            let last = try #require(scene.record.all.last)
            #expect(last.phase == .done)
            #expect(last.bytesDone == last.bytesTotal)
            #expect(last.bytesTotal == 300_014)
            #expect(scene.record.all.allSatisfy { $0.bytesDone <= $0.bytesTotal })
        }
    }

    @Test("a pull that does not fit on the disk is not started")
    func space() async throws {
        try await HubScene.run { scene in
            var settings = try scene.configuration()
            settings.freeBytes = { _ in 300_000 }
            await scene.expectFailure(settings) { error in
                if case .tooLittleSpace(_, 300_014, 300_000) = error { true } else { false }
            }
            #expect(scene.hub.fileRequests.isEmpty)
            #expect(scene.leftovers.isEmpty)
        }
    }

    @Test("a pull without the caller's event loop gives the same result")
    func withoutLoop() async throws {
        try await HubScene.run { scene in
            let settings = try scene.configuration()
            let name = try ModelName("org/name")
            let folder = try await ModelPull.fetch(PullTarget(name), configuration: settings)
            scene.expectAll(in: folder)
        }
    }
}
