// Looking up, listing, verifying and removing models in the cache.

import FoundationEssentials
import Glibc
import ModelHub
import TestSupport
import Testing

@Suite("The cache", .timeLimit(.minutes(1)))
struct CacheTests {
    private let name = try? ModelName("org/name")

    private func make(_ path: String, _ text: String = "{}") throws {
        let folder = path.split(separator: "/").dropLast().joined(separator: "/")
        try FileManager.default.createDirectory(
            atPath: "/\(folder)",
            withIntermediateDirectories: true
        )
        try Data(text.utf8).write(to: URL(filePath: path))
    }

    @Test("a complete model is found and listed")
    func complete() async throws {
        try await HubScene.run { scene in
            let name = try #require(name)
            #expect(scene.cache.models().isEmpty)
            #expect(scene.cache.snapshot(of: name) == nil)
            let folder = try await scene.pull()
            #expect(scene.cache.snapshot(of: name) == folder)
            #expect(scene.cache.snapshot(of: name, revision: HubDouble.commit) == folder)
            #expect(scene.cache.snapshot(of: name, revision: "v2") == nil)
            let models = scene.cache.models()
            #expect(models.count == 1)
            #expect(models.first?.model == "org/name")
            #expect(models.first?.revisions == ["main"])
            #expect(models.first?.bytes == 300_014)
            #expect(models.first?.isComplete == true)
        }
    }

    @Test("an interrupted pull is listed as partial, and not found")
    func partial() async throws {
        try await HubScene.run { scene in
            var settings = try scene.configuration()
            settings.retry.attemptsMax = 1
            scene.hub.faults.cuts = [70, 70, 70, 70]
            await scene.expectFailure(settings) { if case .http = $0 { true } else { false } }
            let models = scene.cache.models()
            #expect(models.first?.missing.contains("model.safetensors") == true)
            #expect(scene.cache.snapshot(of: try #require(name)) == nil)
        }
    }

    @Test("a snapshot of another tool is checked against its weights' index")
    func index() async throws {
        try await HubScene.run { scene in
            let name = try #require(name)
            let snapshot = "\(scene.modelFolder)/snapshots/\(HubDouble.commit)"
            try make("\(scene.modelFolder)/refs/main", HubDouble.commit)
            try make("\(snapshot)/config.json")
            try make("\(snapshot)/tokenizer.json")
            #expect(scene.cache.models().first?.missing == ["model.safetensors"])
            try make(
                "\(snapshot)/model.safetensors.index.json",
                #"{"weight_map":{"a":"model-1.safetensors","b":"model-2.safetensors"}}"#
            )
            try make("\(snapshot)/model-1.safetensors")
            #expect(scene.cache.models().first?.missing == ["model-2.safetensors"])
            try make("\(snapshot)/model-2.safetensors")
            #expect(scene.cache.snapshot(of: name) == snapshot)
        }
    }

    @Test("another tool's list of files shows what is missing")
    func foreignList() async throws {
        try await HubScene.run { scene in
            let snapshot = "\(scene.modelFolder)/snapshots/\(HubDouble.commit)"
            for file in ["config.json", "tokenizer.json", "model.safetensors"] {
                try make("\(snapshot)/\(file)")
            }
            let digest = String(repeating: "a", count: 40)
            try make(
                "\(scene.modelFolder)/trees/\(HubDouble.commit).json",
                """
                {"format_version":1,"files":{"config.json":{"size":2,"blob_id":"\(digest)"},\
                "README.md":{"size":2,"blob_id":"\(digest)"},\
                "merges.txt":{"size":9,"blob_id":"\(digest)"}}}
                """
            )
            #expect(scene.cache.models().first?.missing == ["merges.txt"])
        }
    }

    @Test("verify finds a corrupted byte, and the next pull fetches only that file")
    func verify() async throws {
        try await HubScene.run { scene in
            let name = try #require(name)
            try await scene.pull()
            let whole = try scene.cache.verify(name)
            #expect(whole.map(\.state) == [.whole, .whole, .whole])
            let handle = open(scene.blobPath("tokenizer.json"), O_WRONLY)
            #expect(pwrite(handle, "x", 1, 3) == 1)
            close(handle)
            let found = try scene.cache.verify(name, removesDamaged: true)
            #expect(found.filter { $0.state == .damaged }.map(\.file) == ["tokenizer.json"])
            #expect(try scene.cache.verify(name).contains { $0.state == .missing })
            scene.hub.forgetRequests()
            scene.expectAll(in: try await scene.pull())
            #expect(scene.hub.fileRequests.count == 1)
        }
    }

    @Test("removing a model deletes its folder, not what links in it point to")
    func remove() async throws {
        try await HubScene.run { scene in
            let name = try #require(name)
            try await scene.pull()
            let shared = "\(scene.cacheFolder)/blobs/ab/shared"
            try make(shared, "of others")
            #expect(
                symlink(shared, "\(scene.modelFolder)/blobs/\(String(repeating: "b", count: 64))")
                    == 0
            )
            #expect(symlink(scene.cacheFolder, "\(scene.modelFolder)/away") == 0)
            #expect(try scene.cache.remove(name) > 300_000)
            #expect(!FileManager.default.fileExists(atPath: scene.modelFolder))
            #expect(FileManager.default.contents(atPath: shared) == Data("of others".utf8))
            #expect(throws: HubError.self) { try scene.cache.remove(name) }
        }
    }

    @Test("removing one commit keeps the blobs that another uses")
    func removeRevision() async throws {
        try await HubScene.run { scene in
            let name = try #require(name)
            try await scene.pull()
            let other = String(repeating: "d", count: 40)
            let snapshot = "\(scene.modelFolder)/snapshots/\(other)"
            let only = "\(scene.modelFolder)/blobs/\(String(repeating: "e", count: 40))"
            try make("\(scene.modelFolder)/refs/v2", other)
            try make(only)
            try FileManager.default.createDirectory(
                atPath: "\(snapshot)/onnx",
                withIntermediateDirectories: true
            )
            let digest = scene.hub.repository.digest(of: "config.json")
            #expect(symlink("../../blobs/\(digest)", "\(snapshot)/config.json") == 0)
            let odd = String(repeating: "e", count: 40)
            #expect(symlink("../../../blobs/\(odd)", "\(snapshot)/onnx/config.json") == 0)
            try scene.cache.remove(name, revision: "v2")
            #expect(scene.cache.snapshot(of: name) != nil)
            #expect(!FileManager.default.fileExists(atPath: only))
            #expect(try scene.cache.verify(name).allSatisfy { $0.state == .whole })
            #expect(throws: HubError.self) { try scene.cache.remove(name, revision: "v2") }
        }
    }

    @Test("a model that is being fetched is not removed")
    func removeLocked() async throws {
        try await HubScene.run { scene in
            let name = try #require(name)
            try await scene.pull()
            let digest = scene.hub.repository.digest(of: "config.json")
            let path = "\(scene.cacheFolder)/.locks/models--org--name/\(digest).lock"
            let lock = open(path, O_RDWR | O_CLOEXEC)
            #expect(flock(lock, LOCK_EX) == 0)
            #expect(throws: HubError.self) { try scene.cache.remove(name) }
            #expect(scene.cache.snapshot(of: name) != nil)
            // A program that another test starts meanwhile has inherited it until its exec.
            flock(lock, LOCK_UN)
            close(lock)
            try scene.cache.remove(name)
        }
    }

    @Test("a blob's lock ends with its holder, even if a child has inherited the descriptor")
    func inheritedLock() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/blob.lock"
        var lock = try BlobLock.take(path)
        let descriptor = try #require(
            (3..<sysconf(Int32(_SC_OPEN_MAX))).map { Int32($0) }.first {
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)"))
                    == path
            }
        )
        let inherited = dup(descriptor)
        defer { close(inherited) }
        #expect(lock != nil)
        #expect(try BlobLock.take(path) == nil)
        lock = nil
        lock = try BlobLock.take(path)
        #expect(lock != nil)
        withExtendedLifetime(folder) {}
    }
}
