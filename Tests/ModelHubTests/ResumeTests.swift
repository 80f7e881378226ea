// Pulls that resume, and concurrent pulls.

import EventLoop
import FoundationEssentials
import Glibc
import HTTPProtocol
import ModelHub
import Testing

@Suite("Resuming a pull", .timeLimit(.minutes(1)))
struct ResumeTests {
    /// Pulls until `pieces` pieces of the weights are complete.
    private func pullPart(_ scene: HubScene, pieces: Int) async throws {
        let broken = HTTPResponseHead(HTTPStatus(500))
        var settings = try scene.configuration()
        settings.connections = 1
        settings.retry.attemptsMax = 1
        // The hub stops after the small files and `pieces` pieces.
        var isFirst = true
        scene.hub.onServe = { [hub = scene.hub] file, range in
            guard file == "model.safetensors", range.lowerBound == 65_536 * (pieces - 1), isFirst
            else { return }
            isFirst = false
            hub.faults.fileRefusals = [broken]
        }
        await scene.expectFailure(settings) { if case .unavailable = $0 { true } else { false } }
        scene.hub.onServe = { _, _ in }
        scene.hub.forgetRequests()
    }

    private func partialPath(_ scene: HubScene) -> String {
        "\(scene.blobPath("model.safetensors")).stoa.incomplete"
    }

    @Test("a pull resumes with the missing pieces")
    func resume() async throws {
        try await HubScene.run { scene in
            try await pullPart(scene, pieces: 2)
            #expect(scene.leftovers.count == 2)
            scene.expectAll(in: try await scene.pull())
            #expect(scene.hub.servedByteCount == 300_000 - 2 * 65_536)
            #expect(scene.leftovers.isEmpty)
            #expect(scene.record.all.last?.bytesDone == 300_014)
        }
    }

    @Test("only a piece that is damaged on disk is fetched again")
    func damagedPiece() async throws {
        try await HubScene.run { scene in
            try await pullPart(scene, pieces: 3)
            let handle = open(partialPath(scene), O_WRONLY)
            #expect(pwrite(handle, "x", 1, 70_000) == 1)
            close(handle)
            scene.expectAll(in: try await scene.pull())
            #expect(scene.hub.servedByteCount == 300_000 - 2 * 65_536)
        }
    }

    @Test("a journal with a truncated last line counts up to there")
    func cutJournal() async throws {
        try await HubScene.run { scene in
            try await pullPart(scene, pieces: 2)
            let journal = "\(scene.blobPath("model.safetensors")).stoa.pieces.incomplete"
            let size = try #require(FileManager.default.contents(atPath: journal)).count
            #expect(truncate(journal, off_t(size - 10)) == 0)
            scene.expectAll(in: try await scene.pull())
            #expect(scene.hub.servedByteCount == 300_000 - 65_536)
        }
    }

    @Test("a journal of another layout, or an empty one, is reset", arguments: ["nonsense\n", ""])
    func otherJournal(text: String) async throws {
        try await HubScene.run { scene in
            try await pullPart(scene, pieces: 2)
            let journal = "\(scene.blobPath("model.safetensors")).stoa.pieces.incomplete"
            try Data(text.utf8).write(to: URL(filePath: journal))
            scene.expectAll(in: try await scene.pull())
            #expect(scene.hub.servedByteCount == 300_000)
        }
    }

    @Test("an incomplete file of another length is reset")
    func otherLength() async throws {
        try await HubScene.run { scene in
            try await pullPart(scene, pieces: 2)
            #expect(truncate(partialPath(scene), 1000) == 0)
            scene.expectAll(in: try await scene.pull())
        }
    }

    @Test("a cancelled pull reports it and can be resumed")
    func cancelled() async throws {
        try await HubScene.run { scene in
            let settings = try scene.configuration()
            let ended = LoopPromise<HubError?, Never>(scene.loop)
            let task = scene.loop.spawn {
                do {
                    try await scene.pull("org/name", settings)
                    ended.succeed(nil)
                } catch {
                    ended.succeed(error as? HubError)
                }
            }
            scene.hub.onServe = { file, range in
                if file == "model.safetensors", range.lowerBound > 0 { task.cancel() }
            }
            let error = await ended.value { ended.succeed(nil) }
            guard case .cancelled? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            scene.hub.onServe = { _, _ in }
            scene.expectAll(in: try await scene.pull())
        }
    }

    @Test("a file that another process fetches is waited for")
    func locked() async throws {
        try await HubScene.run { scene in
            let digest = scene.hub.repository.digest(of: "model.safetensors")
            let locks = "\(scene.cacheFolder)/.locks/models--org--name"
            try FileManager.default.createDirectory(
                atPath: locks,
                withIntermediateDirectories: true
            )
            let lock = open("\(locks)/\(digest).lock", O_RDWR | O_CREAT, 0o644)
            #expect(flock(lock, LOCK_EX) == 0)
            var isHeld = true
            let pull = try ModelPull(loop: scene.loop, configuration: scene.configuration()) {
                guard case .waiting(let delay, _) = $0.phase else { return }
                #expect(scene.hub.storageRequests.isEmpty)
                if isHeld { close(lock) }
                isHeld = false
                scene.clock.advance(by: delay)
            }
            scene.expectAll(in: try await pull.run(ModelName("org/name")))
            #expect(!isHeld)
        }
    }

    @Test("two pulls at once fetch each file once")
    func twoPulls() async throws {
        try await HubScene.run { scene in
            let both = LoopPromise<Void, Never>(scene.loop)
            var ended = 0
            for _ in 0..<2 {
                scene.loop.spawn {
                    do { scene.expectAll(in: try await scene.pull()) } catch { Issue.record(error) }
                    ended += 1
                    if ended == 2 { both.succeed(()) }
                }
            }
            await both.value { both.succeed(()) }
            #expect(scene.hub.servedByteCount == 300_014)
        }
    }

    @Test("a blob that is a link into a shared store is replaced, never written through")
    func sharedStore() async throws {
        try await HubScene.run { scene in
            let store = "\(scene.cacheFolder)/blobs/ab"
            let shared = "\(store)/shared"
            for folder in [store, "\(scene.modelFolder)/blobs"] {
                try FileManager.default.createDirectory(
                    atPath: folder,
                    withIntermediateDirectories: true
                )
            }
            try Data("cut".utf8).write(to: URL(filePath: shared))
            let blob = scene.blobPath("model.safetensors")
            #expect(symlink("../../blobs/ab/shared", blob) == 0)
            scene.expectAll(in: try await scene.pull())
            #expect(FileManager.default.contents(atPath: shared) == Data("cut".utf8))
        }
    }
}
