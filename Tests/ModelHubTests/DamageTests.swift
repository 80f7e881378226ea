// Pulls from hosts that cut, lie and garble.

import EventLoop
import FoundationEssentials
import HTTPProtocol
import ModelHub
import TestSupport
import Testing

@Suite("Pulling from bad hosts", .timeLimit(.minutes(1)))
struct DamageTests {
    @Test("a piece that is cut goes on at the byte where it ended")
    func cut() async throws {
        try await HubScene.run { scene in
            scene.hub.tricks.cuts = [40_000]
            var settings = try scene.configuration()
            settings.connections = 1
            scene.expectAll(in: try await scene.pull("org/name", settings))
            let ranges = scene.hub.storageRequests.compactMap { $0.headers[.range] }
            #expect(ranges.contains("bytes=40000-65535"))
            #expect(scene.hub.servedByteCount == 300_014)
        }
    }

    @Test("connections that are cut anywhere, again and again, bring the file", arguments: 1...8)
    func randomCuts(seed: UInt64) async throws {
        try await HubScene.run { scene in
            scene.hub.tricks.cutsAtRandom = true
            scene.hub.tricks.generator = SeededGenerator(seed: seed)
            scene.expectAll(in: try await scene.pull())
            #expect(scene.hub.servedByteCount == 300_014)
        }
    }

    @Test("a host that ignores ranges gives the whole file, once")
    func rangesIgnored() async throws {
        try await HubScene.run { scene in
            scene.hub.tricks.ignoresRanges = true
            scene.expectAll(in: try await scene.pull())
            let whole = scene.hub.storageRequests.filter { !$0.headers.contains(.range) }
            #expect(whole.count == 1)
        }
    }

    @Test("a host that ignores some ranges only brings each piece, too")
    func someRangesIgnored() async throws {
        try await HubScene.run { scene in
            scene.hub.onServe = { [hub = scene.hub] file, range in
                if file == "model.safetensors" {
                    hub.tricks.ignoresRanges = range.lowerBound < 100_000
                }
            }
            scene.expectAll(in: try await scene.pull())
        }
    }

    @Test("a host that ignores ranges and cuts is asked again, and what is there is skipped")
    func rangesIgnoredAndCut() async throws {
        try await HubScene.run { scene in
            scene.hub.tricks.ignoresRanges = true
            scene.hub.tricks.usesStorage = false
            scene.hub.tricks.cuts = [0, 0, 0, 0, 100_000, 200_000]
            scene.expectAll(in: try await scene.pull())
            #expect(scene.story.all.allSatisfy { $0.bytesDone <= $0.bytesTotal })
        }
    }

    @Test(
        "lies about ranges are found, and the bytes are asked for again",
        arguments: HubTricks.WrongRange.allCases
    )
    func wrongRange(lie: HubTricks.WrongRange) async throws {
        try await HubScene.run { scene in
            scene.hub.tricks.wrongRanges = [lie, lie]
            scene.expectAll(in: try await scene.pull())
        }
    }

    @Test("a host that lies for ever is given up, with the file's name")
    func wrongRangeForEver() async throws {
        try await HubScene.run { scene in
            scene.hub.tricks.wrongRanges = Array(repeating: .misnamed, count: 1000)
            await scene.expectFailure {
                if case .wrongRange("model.safetensors", _) = $0 { true } else { false }
            }
        }
    }

    @Test("a range that is refused is asked for again")
    func unsatisfiable() async throws {
        try await HubScene.run { scene in
            scene.hub.tricks.unsatisfiableRanges = 2
            scene.expectAll(in: try await scene.pull())
        }
    }

    @Test("a file that arrives damaged is fetched again")
    func damagedOnce() async throws {
        try await HubScene.run { scene in
            scene.hub.tricks.damagedAnswers = 2
            scene.expectAll(in: try await scene.pull())
            #expect(scene.hub.servedByteCount == 600_014)
            #expect(scene.story.all.last?.bytesDone == 300_014)
        }
    }

    @Test("a file that arrives damaged each time is thrown away")
    func damagedAlways() async throws {
        try await HubScene.run { scene in
            scene.hub.tricks.damagedAnswers = .max
            await scene.expectFailure {
                if case .wrongChecksum("model.safetensors", 3) = $0 { true } else { false }
            }
            #expect(scene.leftovers.isEmpty)
            #expect(scene.hub.servedByteCount == 900_014)
        }
    }

    @Test(
        "a file whose size the hub lied about is refused",
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

    @Test("a host that falls silent is given up after its time, and asked again")
    func silence() async throws {
        try await HubScene.run { scene in
            scene.hub.tricks.silences = 3
            scene.hub.onSilence = { scene.clock.advance(by: .seconds(11)) }
            let settings = try scene.configuration(["HF_HUB_DOWNLOAD_TIMEOUT": "10"])
            scene.expectAll(in: try await scene.pull("org/name", settings))
            #expect(scene.hub.tricks.silences == 0)
        }
    }

    @Test("what came before a silence is told while that lasts")
    func toldInSilence() async throws {
        try await HubScene.run { scene in
            var settings = try scene.configuration(["HF_HUB_DOWNLOAD_TIMEOUT": "10"])
            settings.connections = 1
            let (hub, clock) = (scene.hub, scene.clock)
            hub.onServe = { file, range in
                // The piece after this one is asked for in vain.
                if file == "model.safetensors", range.lowerBound == 65_536 {
                    hub.tricks.silences = 1
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

    @Test("links that expire are replaced, without a wait")
    func expiredLinks() async throws {
        try await HubScene.run { scene in
            scene.hub.tricks.usesPerLink = 2
            var settings = try scene.configuration()
            settings.connections = 1
            scene.expectAll(in: try await scene.pull("org/name", settings))
            #expect(scene.story.delays.isEmpty)
            let links = scene.hub.hubRequests.filter { $0.target.hasSuffix("model.safetensors") }
            #expect(links.count == 3)
        }
    }

    @Test(
        "names that could leave the cache are refused",
        arguments: [
            "../config.json", "..", "/etc/passwd.json", ".hidden.json", "a\\\\b.json",
        ]
    )
    func badNames(name: String) async throws {
        try await HubScene.run { scene in
            scene.hub.repository.files[name] = Array("{}".utf8)
            do {
                // What is in a folder is not wanted; what is wanted must have a plain name.
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
