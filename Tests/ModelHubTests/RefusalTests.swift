// Pulls that the hub refuses, and what the user is told.

import HTTPProtocol
import ModelHub
import Testing

@Suite("Pulling what is refused", .timeLimit(.minutes(1)))
struct RefusalTests {
    @Test("a model that is missing or private is told so, with what to do")
    func missing() async throws {
        try await HubScene.run { scene in
            scene.hub.tricks.refusesAll = HTTPResponseHead(
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

    @Test("a gated model is told so, with what to do")
    func gated() async throws {
        try await HubScene.run { scene in
            scene.hub.tricks.refusesAll = HTTPResponseHead(
                .forbidden,
                headers: ["X-Error-Code": "GatedRepo"]
            )
            await scene.expectFailure { error in
                guard case .gated = error else { return false }
                return "\(error)".contains("accept its terms")
            }
        }
    }

    @Test("files that turn out to be gated are told so, too")
    func gatedFiles() async throws {
        try await HubScene.run { scene in
            let gated = HTTPResponseHead(.forbidden, headers: ["X-Error-Code": "GatedRepo"])
            scene.hub.tricks.fileRefusals = Array(repeating: gated, count: 10)
            await scene.expectFailure { if case .gated = $0 { true } else { false } }
        }
    }

    @Test("a token that the hub does not know is told so")
    func badToken() async throws {
        try await HubScene.run { scene in
            scene.hub.tricks.refusesAll = HTTPResponseHead(
                .unauthorized,
                headers: ["X-Error-Message": "Invalid credentials in Authorization header"]
            )
            await scene.expectFailure { if case .badToken = $0 { true } else { false } }
        }
    }

    @Test("a revision that is missing is told apart from a model that is")
    func revision() async throws {
        try await HubScene.run { scene in
            await scene.expectFailure(revision: "nonsense") {
                if case .revisionNotFound(_, "nonsense") = $0 { true } else { false }
            }
        }
    }

    @Test(
        "revisions that could leave the cache are not asked for",
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

    @Test("a hub that has had enough is asked again when it says, not before")
    func retryAfter() async throws {
        try await HubScene.run { scene in
            let enough = HTTPResponseHead(.tooManyRequests, headers: [.retryAfter: "17"])
            let reset = HTTPResponseHead(
                .tooManyRequests,
                headers: ["RateLimit": "\"api\";r=0;t=23"]
            )
            scene.hub.tricks.refusals = [enough, enough, reset]
            scene.expectAll(in: try await scene.pull())
            #expect(scene.story.delays == [.seconds(17), .seconds(17), .seconds(23)])
        }
    }

    @Test("trouble of the hub's own is waited for, ever longer, and then given up")
    func trouble() async throws {
        try await HubScene.run { scene in
            scene.hub.tricks.refusesAll = HTTPResponseHead(HTTPStatus(502))
            await scene.expectFailure {
                if case .unavailable(_, let status, _) = $0 { status.code == 502 } else { false }
            }
            let delays = scene.story.delays
            #expect(delays.count == 5)
            for (index, delay) in delays.enumerated() {
                let longest = Duration.milliseconds(500) * (1 << index)
                #expect(delay <= longest && delay >= longest / 2)
            }
        }
    }

    @Test("trouble with files passes", arguments: [408, 429, 500, 502, 503, 504])
    func passingTrouble(status: Int) async throws {
        try await HubScene.run { scene in
            let refusal = HTTPResponseHead(HTTPStatus(status))
            scene.hub.tricks.fileRefusals = [refusal, refusal, refusal]
            scene.expectAll(in: try await scene.pull())
        }
    }

    @Test("redirects in a circle end")
    func circle() async throws {
        try await HubScene.run { scene in
            let circle = HTTPResponseHead(HTTPStatus(307), headers: [.location: "/api/models/a"])
            scene.hub.tricks.refusesAll = circle
            await scene.expectFailure { if case .badResponse = $0 { true } else { false } }
            #expect(scene.hub.hubRequests.count == 6)
        }
    }

    @Test("a repository without weights is no model")
    func noModel() async throws {
        try await HubScene.run { scene in
            scene.hub.repository.files["model.safetensors"] = nil
            await scene.expectFailure { if case .notAModel = $0 { true } else { false } }
        }
    }

    @Test("what answers with something else is no hub")
    func noHub() async throws {
        try await HubScene.run { scene in
            scene.hub.tricks.refusesAll = HTTPResponseHead(.ok)
            await scene.expectFailure { if case .badResponse = $0 { true } else { false } }
        }
    }
}
