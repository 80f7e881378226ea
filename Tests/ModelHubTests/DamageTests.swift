// Pulls from hosts that close connections, ignore ranges and send wrong bytes.

import EventLoop
import FoundationEssentials
import HTTPProtocol
import ModelHub
import TestSupport
import Testing

@Suite("Pulling from faulty hosts", .timeLimit(.minutes(1)))
struct DamageTests {
    @Test("an interrupted piece resumes at the byte where it ended")
    func cut() async throws {
        try await HubScene.run { scene in
            scene.hub.faults.cuts = [40_000]
            var settings = try scene.configuration()
            settings.connections = 1
            scene.expectAll(in: try await scene.pull("org/name", settings))
            let ranges = scene.hub.storageRequests.compactMap { $0.headers[.range] }
            #expect(ranges.contains("bytes=40000-65535"))
            #expect(scene.hub.servedByteCount == 300_014)
        }
    }

    @Test("a file arrives even if connections are cut at random points", arguments: 1...8)
    func randomCuts(seed: UInt64) async throws {
        try await HubScene.run { scene in
            scene.hub.faults.cutsAtRandom = true
            scene.hub.faults.generator = SeededGenerator(seed: seed)
            scene.expectAll(in: try await scene.pull())
            #expect(scene.hub.servedByteCount == 300_014)
        }
    }

    @Test("a host that ignores ranges is asked for the whole file once")
    func rangesIgnored() async throws {
        try await HubScene.run { scene in
            scene.hub.faults.ignoresRanges = true
            var settings = try scene.configuration()
            settings.connections = 1
            scene.expectAll(in: try await scene.pull("org/name", settings))
            let whole = scene.hub.storageRequests.filter { !$0.headers.contains(.range) }
            #expect(whole.count == 1)
        }
    }

    @Test("a piece whose range is ignored while its bytes pass in the whole file is fetched again")
    func rangeIgnoredLate() async throws {
        try await HubScene.run { scene in
            scene.hub.faults.ignoresRanges = true
            var settings = try scene.configuration()
            settings.connections = 2
            // The answer for the first piece is held until the whole file is in the middle of that
            // piece, and the whole file waits there until the puller has read the answer.
            let (asked, middle, read) = (
                LoopPromise<Void, Never>(scene.loop), LoopPromise<Void, Never>(scene.loop),
                LoopPromise<Void, Never>(scene.loop)
            )
            scene.hub.wait = { [loop = scene.loop] step in
                switch step {
                case .answer(let request) where request.headers[.range] == "bytes=65536-131071":
                    await asked.value {}
                case .answer(let request) where request.headers[.range] == "bytes=0-65535":
                    asked.succeed(())
                    await middle.value {}
                case .end(let request) where request.headers[.range] == "bytes=0-65535":
                    read.succeed(())
                case .part(let request, let part)
                where request.headers[.range] == nil && part.lowerBound == 32_768:
                    guard !middle.isComplete else { break }
                    // The puller skips the bytes so far in the next turns.
                    for _ in 0..<20 { try? await loop.sleep(for: .zero) }
                    middle.succeed(())
                    await read.value {}
                default: break
                }
            }
            scene.expectAll(in: try await scene.pull("org/name", settings))
            let whole = scene.hub.storageRequests.filter { !$0.headers.contains(.range) }
            #expect(whole.count == 2)
        }
    }

    @Test("a host that ignores only some ranges still delivers each piece")
    func someRangesIgnored() async throws {
        try await HubScene.run { scene in
            scene.hub.onServe = { [hub = scene.hub] file, range in
                if file == "model.safetensors" {
                    hub.faults.ignoresRanges = range.lowerBound < 100_000
                }
            }
            scene.expectAll(in: try await scene.pull())
        }
    }

    @Test("a host that ignores ranges and cuts is asked again, and complete pieces are skipped")
    func rangesIgnoredAndCut() async throws {
        try await HubScene.run { scene in
            scene.hub.faults.ignoresRanges = true
            scene.hub.faults.usesStorage = false
            scene.hub.faults.cuts = [0, 0, 0, 0, 100_000, 200_000]
            scene.expectAll(in: try await scene.pull())
            #expect(scene.record.all.allSatisfy { $0.bytesDone <= $0.bytesTotal })
        }
    }

    @Test(
        "a wrong range is detected and requested again",
        arguments: HubFaults.WrongRange.allCases
    )
    func wrongRange(lie: HubFaults.WrongRange) async throws {
        try await HubScene.run { scene in
            scene.hub.faults.wrongRanges = [lie, lie]
            scene.expectAll(in: try await scene.pull())
        }
    }

    @Test("after too many wrong ranges the pull fails and names the file")
    func wrongRangeForEver() async throws {
        try await HubScene.run { scene in
            scene.hub.faults.wrongRanges = Array(repeating: .misnamed, count: 1000)
            await scene.expectFailure {
                if case .wrongRange("model.safetensors", _) = $0 { true } else { false }
            }
        }
    }

    @Test("a range that is refused is requested again")
    func unsatisfiable() async throws {
        try await HubScene.run { scene in
            scene.hub.faults.unsatisfiableRanges = 2
            scene.expectAll(in: try await scene.pull())
        }
    }

    @Test("a file that arrives damaged is fetched again")
    func damagedOnce() async throws {
        try await HubScene.run { scene in
            scene.hub.faults.damagedAnswers = 2
            scene.expectAll(in: try await scene.pull())
            #expect(scene.hub.servedByteCount == 600_014)
            #expect(scene.record.all.last?.bytesDone == 300_014)
        }
    }

    @Test("a file that arrives damaged each time is removed")
    func damagedAlways() async throws {
        try await HubScene.run { scene in
            scene.hub.faults.damagedAnswers = .max
            await scene.expectFailure {
                if case .wrongChecksum("model.safetensors", 3) = $0 { true } else { false }
            }
            #expect(scene.leftovers.isEmpty)
            #expect(scene.hub.servedByteCount == 900_014)
        }
    }

    @Test(
        "a file whose announced size is wrong is refused",
        arguments: [299_999, 300_001, 200_000]
    )
    func wrongSize(announced: Int) async throws {
        try await HubScene.run { scene in
            scene.hub.repository.announcedSizes["model.safetensors"] = announced
            await scene.expectFailure { error in
                switch error {
                case .wrongRange, .wrongChecksum: true
                default: false
                }
            }
        }
    }

    @Test("a small file that is longer than announced is refused")
    func wrongSmallSize() async throws {
        try await HubScene.run { scene in
            scene.hub.repository.announcedSizes["config.json"] = 1
            await scene.expectFailure {
                if case .wrongRange("config.json", _) = $0 { true } else { false }
            }
        }
    }

    @Test("a request times out when the host is silent, and is retried")
    func silence() async throws {
        try await HubScene.run { scene in
            scene.hub.faults.silences = 3
            scene.hub.onSilence = { scene.clock.advance(by: .seconds(11)) }
            let settings = try scene.configuration(["HF_HUB_DOWNLOAD_TIMEOUT": "10"])
            scene.expectAll(in: try await scene.pull("org/name", settings))
            #expect(scene.hub.faults.silences == 0)
        }
    }

    @Test("progress is reported even if no more bytes arrive")
    func toldInSilence() async throws {
        try await HubScene.run { scene in
            var settings = try scene.configuration(["HF_HUB_DOWNLOAD_TIMEOUT": "10"])
            settings.connections = 1
            let (hub, clock) = (scene.hub, scene.clock)
            hub.onServe = { file, range in
                // The request for the next piece is never answered.
                if file == "model.safetensors", range.lowerBound == 65_536 {
                    hub.faults.silences = 1
                }
            }
            var isSilent = false
            hub.onSilence = {
                isSilent = true
                clock.advance(by: .milliseconds(100))
            }
            var told: Int?
            let pull = try ModelPull(loop: scene.loop, configuration: settings) { progress in
                if case .waiting(let delay, _) = progress.phase { clock.advance(by: delay) }
                guard isSilent, told == nil else { return }
                told = progress.bytesDone
                clock.advance(by: .seconds(11))
            }
            scene.expectAll(in: try await pull.run(ModelName("org/name")))
            #expect(told ?? 0 >= 2 * 65_536)
        }
    }

    @Test("expired links are replaced without a delay")
    func expiredLinks() async throws {
        try await HubScene.run { scene in
            scene.hub.faults.usesPerLink = 2
            var settings = try scene.configuration()
            settings.connections = 1
            scene.expectAll(in: try await scene.pull("org/name", settings))
            #expect(scene.record.delays.isEmpty)
            let links = scene.hub.hubRequests.filter { $0.target.hasSuffix("model.safetensors") }
            #expect(links.count == 3)
        }
    }

    @Test(
        "file names that could leave the cache are refused",
        arguments: [
            "../config.json", "..", "/etc/passwd.json", ".hidden.json", "a\\\\b.json",
        ]
    )
    func badNames(name: String) async throws {
        try await HubScene.run { scene in
            scene.hub.repository.files[name] = Array("{}".utf8)
            do {
                // Files in folders are not needed; the name of a needed file must be plain.
                _ = try await scene.pull()
                #expect(name.contains("/") || name == "..")
            } catch let error as HubError {
                guard case .badResponse = error else { throw error }
            }
            let made = try? FileManager.default.contentsOfDirectory(atPath: scene.cacheFolder)
            #expect(
                Set(made ?? []).isSubset(of: [".locks", "CACHEDIR.TAG", "models--org--name"])
            )
        }
    }
}
