// Pulls against a hub on loopback.

import EventLoop
import FoundationEssentials
import HTTPProtocol
import ModelHub
import TestSupport
import Testing

private let weights = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }

@Suite("Pulling a model", .timeLimit(.minutes(1)))
struct ModelPullTests {
    @Test("a pull brings the files, and a second one fetches nothing")
    func plain() async throws {
        try await withHub { hub, pull in
            let folder = try await pull()
            #expect(
                FileManager.default.contents(atPath: "\(folder)/model.safetensors")
                    == Data(weights)
            )
            #expect(hub.fileRequests.count == 2)
            #expect(try await pull() == folder)
            #expect(hub.fileRequests.count == 2)
        }
    }

    @Test("a connection that is cut is resumed where it ended")
    func cut() async throws {
        try await withHub { hub, pull in
            hub.cutAfter = 100_000
            let folder = try await pull()
            #expect(
                FileManager.default.contents(atPath: "\(folder)/model.safetensors")
                    == Data(weights)
            )
            #expect(hub.fileRequests.contains { $0.headers[.range] == "bytes=100000-" })
        }
    }

    @Test("a range that is ignored starts the file over")
    func rangeIgnored() async throws {
        try await withHub { hub, pull in
            hub.cutAfter = 100_000
            hub.onFile = { request in
                guard request.headers.contains(.range) else { return nil }
                return (HTTPResponseHead(.ok), weights)
            }
            let folder = try await pull()
            #expect(
                FileManager.default.contents(atPath: "\(folder)/model.safetensors")
                    == Data(weights)
            )
        }
    }

    @Test("a file with a wrong checksum is refused and leaves no snapshot")
    func checksum() async throws {
        try await withHub { hub, pull in
            hub.onFile = { request in
                guard request.target.contains("model") else { return nil }
                return (HTTPResponseHead(.ok), [UInt8](repeating: 0, count: weights.count))
            }
            await #expect { try await pull() } throws: { error in
                if case .wrongChecksum? = error as? HubError { true } else { false }
            }
        }
    }

    @Test("models that are missing or gated are told apart")
    func refusals() async throws {
        try await withHub { hub, pull in
            hub.refusal = HTTPResponseHead(.notFound)
            await #expect { try await pull() } throws: { error in
                if case .notFound? = error as? HubError { true } else { false }
            }
            hub.refusal = HTTPResponseHead(.forbidden, headers: ["X-Error-Code": "GatedRepo"])
            await #expect { try await pull() } throws: { error in
                if case .gated? = error as? HubError { true } else { false }
            }
        }
    }

    @Test("a redirect to another host does not see the token")
    func redirect() async throws {
        try await withHub { hub, pull in
            let other = try HubDouble(hub.loop)
            defer { other.close() }
            other.files = hub.files
            hub.onFile = { request in
                let place = other.address + request.target
                return (HTTPResponseHead(HTTPStatus(302), headers: [.location: place]), [])
            }
            _ = try await pull()
            #expect(hub.fileRequests.allSatisfy { $0.headers[.authorization] == "Bearer secret" })
            #expect(other.fileRequests.count == 2)
            #expect(!other.fileRequests.contains { $0.headers.contains(.authorization) })
        }
    }
}

/// Runs a test with a hub and a way to pull from it into a cache of its own. A pull that fails must
/// leave no snapshot.
private func withHub(
    _ body: @escaping @Sendable (HubDouble, () async throws -> String) async throws -> Void
) async throws {
    let cache = try TemporaryFolder()
    try await EventLoop.run { loop in
        let hub = try HubDouble(loop)
        defer { hub.close() }
        hub.files["model.safetensors"] = weights
        var configuration = try HubConfiguration(environment: [
            "HF_ENDPOINT": hub.address, "HF_HUB_CACHE": cache.path, "HF_TOKEN": "secret",
        ])
        configuration.retryDelay = .milliseconds(1)
        let settings = configuration
        try await body(hub) {
            do {
                return try await ModelPull(loop: loop, configuration: settings)
                    .run(ModelName("org/name"))
            } catch {
                let snapshots = "\(cache.path)/models--org--name/snapshots"
                #expect(!FileManager.default.fileExists(atPath: snapshots))
                throw error
            }
        }
    }
}
