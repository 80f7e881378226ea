// Pulls that the hub refuses, and the error messages.

import HTTPProtocol
import ModelHub
import Testing

@Suite("Pulling with refusals", .timeLimit(.minutes(1)))
struct RefusalTests {
    @Test("the error for a missing or private model says what to do")
    func missing() async throws {
        try await HubScene.run { scene in
            scene.hub.faults.refusesAll = HTTPResponseHead(
                .unauthorized,
                headers: ["X-Error-Code": "RepoNotFound"]
            )
            let anonymous = try scene.configuration(["HF_HUB_DISABLE_IMPLICIT_TOKEN": "1"])
            await scene.expectFailure(anonymous) { error in
                guard case .modelNotFound(_, hasToken: false) = error else { return false }
                return "\(error)".contains("HF_TOKEN")
            }
            await scene.expectFailure {
                if case .modelNotFound(_, hasToken: true) = $0 { true } else { false }
            }
            #expect(scene.hub.hubRequests.count == 2)
        }
    }

    @Test("the error for a gated model says what to do")
    func gated() async throws {
        try await HubScene.run { scene in
            scene.hub.faults.refusesAll = HTTPResponseHead(
                .forbidden,
                headers: ["X-Error-Code": "GatedRepo"]
            )
            await scene.expectFailure { error in
                guard case .gated = error else { return false }
                return "\(error)".contains("accept its terms")
            }
        }
    }

    @Test("files that turn out to be gated give the same error")
    func gatedFiles() async throws {
        try await HubScene.run { scene in
            let gated = HTTPResponseHead(.forbidden, headers: ["X-Error-Code": "GatedRepo"])
            scene.hub.faults.fileRefusals = Array(repeating: gated, count: 10)
            await scene.expectFailure { if case .gated = $0 { true } else { false } }
        }
    }

    @Test("an unknown token gives its own error")
    func badToken() async throws {
        try await HubScene.run { scene in
            scene.hub.faults.refusesAll = HTTPResponseHead(
                .unauthorized,
                headers: ["X-Error-Message": "Invalid credentials in Authorization header"]
            )
            await scene.expectFailure { if case .badToken = $0 { true } else { false } }
        }
    }

    @Test("a missing revision and a missing model give different errors")
    func revision() async throws {
        try await HubScene.run { scene in
            await scene.expectFailure(revision: "nonsense") {
                if case .revisionNotFound(_, "nonsense") = $0 { true } else { false }
            }
        }
    }

    @Test(
        "revisions that could leave the cache are not requested",
        arguments: ["", "..", "../main", "a/../b", "/main", "a//b", "a\\b", ".git", "a b"]
    )
    func badRevisions(revision: String) async throws {
        try await HubScene.run { scene in
            await scene.expectFailure(revision: revision) {
                if case .badRevision = $0 { true } else { false }
            }
            #expect(scene.hub.hubRequests.isEmpty)
        }
    }

    @Test("a rate limit is retried after the requested delay")
    func retryAfter() async throws {
        try await HubScene.run { scene in
            let enough = HTTPResponseHead(.tooManyRequests, headers: [.retryAfter: "17"])
            let reset = HTTPResponseHead(
                .tooManyRequests,
                headers: ["RateLimit": "\"api\";r=0;t=23"]
            )
            scene.hub.faults.refusals = [enough, enough, reset]
            scene.expectAll(in: try await scene.pull())
            #expect(scene.record.delays == [.seconds(17), .seconds(17), .seconds(23)])
        }
    }

    @Test("server errors are retried with growing delays up to a limit")
    func trouble() async throws {
        try await HubScene.run { scene in
            scene.hub.faults.refusesAll = HTTPResponseHead(HTTPStatus(502))
            await scene.expectFailure {
                if case .unavailable(_, let status, _) = $0 { status.code == 502 } else { false }
            }
            let delays = scene.record.delays
            #expect(delays.count == 5)
            for (index, delay) in delays.enumerated() {
                let longest = Duration.milliseconds(500) * (1 << index)
                #expect(delay <= longest && delay >= longest / 2)
            }
        }
    }

    @Test("server errors for files are retried", arguments: [408, 429, 500, 502, 503, 504])
    func passingTrouble(status: Int) async throws {
        try await HubScene.run { scene in
            let refusal = HTTPResponseHead(HTTPStatus(status))
            scene.hub.faults.fileRefusals = [refusal, refusal, refusal]
            scene.expectAll(in: try await scene.pull())
        }
    }

    @Test("a redirect loop ends")
    func circle() async throws {
        try await HubScene.run { scene in
            let circle = HTTPResponseHead(HTTPStatus(307), headers: [.location: "/api/models/a"])
            scene.hub.faults.refusesAll = circle
            await scene.expectFailure { if case .badResponse = $0 { true } else { false } }
            #expect(scene.hub.hubRequests.count == 6)
        }
    }

    @Test("a repository without weights is not a model")
    func noModel() async throws {
        try await HubScene.run { scene in
            scene.hub.repository.files["model.safetensors"] = nil
            await scene.expectFailure { if case .notAModel = $0 { true } else { false } }
        }
    }

    @Test("a host with other responses is not a hub")
    func noHub() async throws {
        try await HubScene.run { scene in
            scene.hub.faults.refusesAll = HTTPResponseHead(.ok)
            await scene.expectFailure { if case .badResponse = $0 { true } else { false } }
        }
    }
}
