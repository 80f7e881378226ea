// A hub, an empty cache, and pulls from the hub into the cache. The clock is manual: a pull that reports
// a wait advances it by that time, so no test sleeps.

import EventLoop
import FoundationEssentials
import ModelHub
import TestSupport
import Testing

/// The fixture of tests of pulls. Used on its event loop.
struct HubScene {
    let hub: HubDouble
    let cacheFolder: String
    let loop: EventLoop
    let clock: ManualClock
    /// The progress that pulls reported.
    let record = PullRecord()

    /// Runs `body` with a fresh scene.
    static func run(
        _ body: @escaping @Sendable (HubScene) async throws -> Void
    ) async throws {
        let cache = try TemporaryFolder()
        let clock = ManualClock()
        try await EventLoop.run(clock: clock) { loop in
            let hub = try HubDouble(loop)
            defer { hub.close() }
            try await body(
                HubScene(hub: hub, cacheFolder: "\(cache.path)/hub", loop: loop, clock: clock)
            )
        }
    }

    /// Settings for the fixture's hub and cache, with pieces of 64 KiB. One connection's waits
    /// advance the clock for all, so the timeouts are long enough not to expire.
    func configuration(_ variables: [String: String] = [:]) throws -> HubConfiguration {
        var environment = [
            "HF_ENDPOINT": hub.address, "HF_HUB_CACHE": cacheFolder, "HF_TOKEN": "secret",
            "HF_HUB_DOWNLOAD_TIMEOUT": "86400",
        ]
        environment.merge(variables) { $1 }
        var configuration = try HubConfiguration(environment: environment)
        configuration.pieceBytes = 64 << 10...64 << 10
        return configuration
    }

    /// Pulls the model.
    /// - Returns: its folder.
    @discardableResult
    func pull(
        _ name: String = "org/name",
        revision: String = "main",
        _ settings: HubConfiguration? = nil
    ) async throws -> String {
        let configuration = try settings ?? configuration()
        let (record, clock) = (record, clock)
        let pull = try ModelPull(loop: loop, configuration: configuration) { progress in
            record.add(progress)
            if case .waiting(let delay, _) = progress.phase { clock.advance(by: delay) }
        }
        return try await pull.run(PullTarget(name), revision: revision)
    }

    /// Pulls, and expects an error that `matches`.
    func expectFailure(
        _ settings: HubConfiguration? = nil,
        revision: String = "main",
        _ matches: (HubError) -> Bool,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        do {
            _ = try await pull(revision: revision, settings)
            Issue.record("the pull succeeded", sourceLocation: sourceLocation)
        } catch let error as HubError {
            #expect(matches(error), "\(error)", sourceLocation: sourceLocation)
        } catch {
            Issue.record(error, sourceLocation: sourceLocation)
        }
        let snapshots = try? FileManager.default.contentsOfDirectory(
            atPath: "\(modelFolder)/snapshots"
        )
        #expect((snapshots ?? []).isEmpty, sourceLocation: sourceLocation)
    }

    var modelFolder: String { "\(cacheFolder)/models--org--name" }
    var cache: ModelCache { ModelCache(folder: cacheFolder) }

    /// Expects the folder to hold all files of the hub that a model needs.
    func expectAll(in folder: String, sourceLocation: SourceLocation = #_sourceLocation) {
        for (name, content) in hub.repository.files where name != "README.md" {
            #expect(
                FileManager.default.contents(atPath: "\(folder)/\(name)") == Data(content),
                "\(name)",
                sourceLocation: sourceLocation
            )
        }
    }

    /// Incomplete files in the cache.
    var leftovers: [String] {
        let names = try? FileManager.default.contentsOfDirectory(atPath: "\(modelFolder)/blobs")
        return (names ?? []).filter { $0.contains("incomplete") }
    }

    func blobPath(_ name: String) -> String {
        "\(modelFolder)/blobs/\(hub.repository.digest(of: name))"
    }
}

/// The progress that pulls reported, in order.
final class PullRecord {
    private(set) var all: [PullProgress] = []

    func add(_ progress: PullProgress) { all.append(progress) }

    /// The reported waits.
    var delays: [Duration] {
        all.compactMap { progress in
            if case .waiting(let delay, _) = progress.phase { delay } else { nil }
        }
    }
}
