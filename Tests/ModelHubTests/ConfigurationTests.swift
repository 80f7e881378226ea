// Settings from the environment, and names.

import FoundationEssentials
import HTTPProtocol
import ModelHub
import TestSupport
import Testing

@Suite("The hub's settings")
struct ConfigurationTests {
    @Test(
        "the cache folder follows the Hugging Face environment variables",
        arguments: [
            (["HOME": "/h"], "/h/.cache/huggingface/hub"),
            (["HOME": "/h", "XDG_CACHE_HOME": "/x"], "/x/huggingface/hub"),
            (["HOME": "/h", "HF_HOME": "/a"], "/a/hub"),
            (["HOME": "/h", "HF_HOME": "~/a"], "/h/a/hub"),
            (["HF_HOME": "$D/a", "D": "/d"], "/d/a/hub"),
            (["HF_HOME": "${D}x/$E/a", "D": "/d"], "/dx/$E/a/hub"),
            (["HF_HOME": "/a", "HUGGINGFACE_HUB_CACHE": "/old"], "/old"),
            (["HUGGINGFACE_HUB_CACHE": "/old", "HF_HUB_CACHE": "/new"], "/new"),
            (["HF_HUB_CACHE": "", "HOME": "/h"], "/h/.cache/huggingface/hub"),
        ]
    )
    func cacheFolder(environment: [String: String], folder: String) throws {
        #expect(try HubConfiguration(environment: environment).cacheFolder == folder)
    }

    @Test(
        "invalid settings are refused",
        arguments: [
            [:], ["HOME": "/h", "HF_ENDPOINT": "ftp://x"], ["HOME": "/h", "HF_ENDPOINT": "hub"],
            ["HOME": "/h", "HF_HUB_ETAG_TIMEOUT": "soon"],
            ["HOME": "/h", "HF_HUB_DOWNLOAD_TIMEOUT": "0"],
        ]
    )
    func wrong(environment: [String: String]) {
        #expect(throws: HubError.self) { try HubConfiguration(environment: environment) }
    }

    @Test("offline mode and timeouts are read")
    func modes() throws {
        var environment = ["HOME": "/h"]
        #expect(try !HubConfiguration(environment: environment).isOffline)
        environment["TRANSFORMERS_OFFLINE"] = "True"
        environment["HF_HUB_ETAG_TIMEOUT"] = "3"
        environment["HF_HUB_DOWNLOAD_TIMEOUT"] = "70"
        let configuration = try HubConfiguration(environment: environment)
        #expect(configuration.isOffline)
        #expect(configuration.metadataTimeout == .seconds(3))
        #expect(configuration.downloadTimeout == .seconds(70))
    }

    @Test("the token comes from the environment, else from the file, else from nowhere")
    func token() async throws {
        try await HubScene.run { scene in
            let folder = try TemporaryFolder()
            try folder.write("token", Array("from-file\n".utf8))
            func shown(_ variables: [String: String]) async throws -> String? {
                scene.hub.forgetRequests()
                try await scene.pull("org/name", try scene.configuration(variables))
                return scene.hub.hubRequests.first?.headers[.authorization]
            }
            let home = ["HF_HOME": folder.path, "HF_TOKEN": ""]
            #expect(try await shown(["HF_HOME": folder.path]) == "Bearer secret")
            #expect(try await shown(home) == "Bearer from-file")
            let legacy = ["HF_TOKEN": "", "HUGGING_FACE_HUB_TOKEN": "old"]
            #expect(try await shown(legacy) == "Bearer old")
            let path = ["HF_TOKEN": "", "HF_TOKEN_PATH": "$T/token", "T": folder.path]
            #expect(try await shown(path) == "Bearer from-file")
            let disabled = home.merging(["HF_HUB_DISABLE_IMPLICIT_TOKEN": "1"]) { $1 }
            #expect(try await shown(disabled) == nil)
        }
    }

    @Test("short names stand for checkpoints, full names for themselves")
    func names() throws {
        #expect(
            try ModelName("phi-4-mini").description == "mlx-community/Phi-4-mini-instruct-4bit"
        )
        #expect(try ModelName("Org/na.me_1").description == "Org/na.me_1")
        for name in ModelName.registry.keys { _ = try ModelName(name) }
    }

    @Test(
        "invalid model names are refused",
        arguments: ["", "phi-9", "a/b/c", "a/", "/b", "../b", "a/..", "a/b?c", "a/.b", "a--b/c"]
    )
    func badNames(name: String) {
        #expect(throws: HubError.self) { try ModelName(name) }
    }

    @Test(
        "byte counts are written with three digits",
        arguments: [
            (0, "0 bytes"), (999, "999 bytes"), (1000, "1.00 kB"), (1_234_567, "1.23 MB"),
            (999_499, "999 kB"), (999_999, "1.00 MB"), (12_050_000_000, "12.1 GB"),
            (2_149_696_167, "2.15 GB"), (123_456_789, "123 MB"),
        ]
    )
    func byteCounts(bytes: Int, text: String) {
        #expect("\(ByteCount(bytes))" == text)
    }
}
