// The sources of settings, and error messages for invalid ones.

import ArgumentParser
import ChatServer
import FoundationEssentials
import TestSupport
import Testing
import stoa

@Suite("Settings")
struct SettingsLoaderTests {
    /// Loads settings with a separate home, and `file` as its config file.
    private func load(
        _ arguments: [String] = [],
        environment: [String: String] = [:],
        file: String? = nil
    ) throws -> ServerSettings {
        let home = try TemporaryFolder()
        var environment = environment
        environment["XDG_DATA_HOME"] = environment["XDG_DATA_HOME"] ?? home.path
        var configFile: String?
        if let file { configFile = try home.write("config.json", Array(file.utf8)) }
        let parsed = try SettingsArguments.parse(
            arguments + (configFile.map { ["--config", $0] } ?? [])
        )
        return try parsed.load(environment: environment)
    }

    @Test("without any source the defaults apply")
    func defaults() throws {
        var expected = ServerSettings()
        expected.dataDirectory = "/home/ada/data/stoa"
        let environment = ["XDG_DATA_HOME": "/home/ada/data"]
        #expect(try load(environment: environment) == expected)
        let home = ["HOME": "/home/ada", "XDG_DATA_HOME": "relative"]
        func directory(isRoot: Bool) throws -> String {
            try ServerSettings.standardDataDirectory(environment: home, isRoot: isRoot)
        }
        #expect(try directory(isRoot: false) == "/home/ada/.local/share/stoa")
        #expect(try directory(isRoot: true) == "/var/lib/stoa")
    }

    @Test("a flag overrides the environment, which overrides the file, which overrides the default")
    func precedence() throws {
        let file = #"{"port": 3, "slots": 3, "temperature": 0.5, "system-prompt": "file"}"#
        let environment = ["STOA_PORT": "2", "STOA_SLOTS": "2", "UNRELATED": "9"]
        let settings = try load(["--port", "1"], environment: environment, file: file)
        #expect(settings.port == 1)
        #expect(settings.slotCount == 2)
        #expect(settings.temperature == 0.5)
        #expect(settings.systemPrompt == "file")
        #expect(settings.maxTokens == ServerSettings().maxTokens)
    }

    @Test("every setting can be given as a flag, in the environment and in the file")
    func everySetting() throws {
        let home = ["XDG_DATA_HOME": "/home/ada/data"]
        let defaults = try load(environment: home)
        for setting in ServerSettings.definitions {
            let value = Self.examples[setting.name] ?? "7"
            let rest = Self.partners[setting.name] ?? []
            let variable = home.merging([setting.environmentVariable: value]) { $1 }
            let file = #"{"\#(setting.name)": "\#(value)"}"#

            let byFlag = try load([setting.flag, value] + rest, environment: home)
            let byOneWord = try load(["\(setting.flag)=\(value)"] + rest, environment: home)
            let byVariable = try load(rest, environment: variable)
            let byFile = try load(rest, environment: home, file: file)
            #expect(byFlag != defaults, "\(setting.name)")
            #expect([byOneWord, byVariable, byFile].allSatisfy { $0 == byFlag }, "\(setting.name)")
        }
    }

    private static let examples = [
        "host": "::1", "public-url": "https://chat.example.org/", "temperature": "0.7",
        "allowed-origins": "http://a, https://b:81", "log-level": "debug", "log-format": "json",
        "data-dir": "/srv/stoa", "wal-archive": "/srv/wal", "rope-rule": "always-long",
        "model-pull": "off",
        "team-creation": "everyone", "registration": "invite", "undo-days": "9",
        "trusted-proxies": "10.0.0.0/8", "sign-in-header": "X-User",
        "sign-in-header-from": "10.0.0.1", "sign-in-header-new-users": "on",
        "oidc-issuer": "https://id.example.org", "oidc-new-users": "on",
        "database-pooling": "transaction", "metrics-token": "sixteen-or-more-",
        "remote-engine": "http://gpu1:8000/v1 model=phi-4",
        "adapter": "/srv/adapters/pirate of=phi-4-mini as=pirate",
        "tls-self-signed": "on", "unix-socket-mode": "660", "proxy-protocol-from": "unix",
        "forwarded-header": "forwarded", "connection-mebibytes": "64",
        "websocket-compression": "on", "io-uring": "off", "model-thinking": "phi-4=500",
        "kv-bits": "8", "speculation": "off",
        "titles": "off",
        "traces-endpoint": "http://127.0.0.1:4318/v1/traces", "traces-ratio": "0.1",
        "traces-from": "10.0.0.0/8", "slow-log-milliseconds": "250",
    ]

    /// Settings that a setting requires.
    private static let partners = [
        "tls-certificate": ["--tls-key", "x.pem"], "tls-key": ["--tls-certificate", "x.pem"],
        "sign-in-header": ["--sign-in-header-from", "10.0.0.1"],
        "sign-in-header-from": ["--sign-in-header", "X-User"],
        "oidc-issuer": ["--oidc-client-id", "x", "--public-url", "https://chat.example.org"],
        "oidc-client-id": [
            "--oidc-issuer", "https://id.example.org", "--public-url", "https://chat.example.org",
        ],
        "traces-from": ["--traces-endpoint", "https://traces.example.org/v1/traces"],
        "traces-headers-file": ["--traces-endpoint", "https://traces.example.org/v1/traces"],
    ]

    @Test("a list may be given with commas, by a repeated flag, or as a list in the file")
    func lists() throws {
        let wanted = ["/srv/phi-4-mini", "phi-3.5-mini"]
        let flags = ["--model", "/srv/phi-4-mini", "--model=phi-3.5-mini"]
        #expect(try load(flags).models == wanted)
        #expect(try load(["--model", "/srv/phi-4-mini, phi-3.5-mini"]).models == wanted)
        let file = #"{"model": ["/srv/phi-4-mini", "phi-3.5-mini"]}"#
        #expect(try load(file: file).models == wanted)
        #expect(try load(["--port", "1", "--port", "2"]).port == 2)
    }

    @Test("origins are normalized as browsers send them")
    func origins() throws {
        let settings = try load([
            "--public-url", "https://Chat.example.org:443/", "--allowed-origins", "http://a:80",
        ])
        #expect(settings.publicURL == "https://chat.example.org")
        #expect(settings.allowedOrigins == ["http://a", "https://chat.example.org"])
        #expect(settings.isServedOverTLS)
    }

    @Test(
        "an error about an invalid flag names its value and is a usage error",
        arguments: [
            (["--port", "80a"], "--port: “80a” is not a whole number from 0 to 65535"),
            (["--port", "65536"], "--port: “65536” is not a whole number from 0 to 65535"),
            (["--temperature", "nan"], "--temperature: “nan” is not a number from 0.0 to 2.0"),
            (["--host", ""], "--host: “” is empty"),
            (["--unix-socket-mode", "8"], "--unix-socket-mode: “8” is not a mode such as 660"),
            (["--log-format", "xml"], "--log-format: “xml” is not one of text, json"),
            (
                ["--public-url", "a/b"],
                "--public-url: “a/b” is not a URL of scheme, host and port alone"
            ),
        ]
    )
    func badFlags(arguments: [String], message: String) throws {
        let error = #expect(throws: SettingError.self) { try load(arguments) }
        #expect(error?.description == message)
        #expect(error?.isUsageError == true)
    }

    @Test(
        "an unknown option, or one without its value, is a usage error",
        arguments: [
            (["--prot", "1"], "Unknown option '--prot'"),
            (["stray"], "Unexpected argument 'stray'"),
            (["--port"], "Missing value for '--port'"),
            (["--port", "--host", "::"], "Missing value for '--port'"),
        ]
    )
    func badOptions(arguments: [String], message: String) throws {
        let error = #expect(throws: (any Error).self) { try load(arguments) }
        #expect(SettingsArguments.message(for: try #require(error)) == message)
        #expect(SettingsArguments.exitCode(for: try #require(error)).rawValue == 64)
    }

    @Test("an error about an invalid value elsewhere names its source")
    func badPlaces() throws {
        let error = #expect(throws: SettingError.self) {
            try load(environment: ["STOA_SLOTS": "0"])
        }
        #expect(error?.description == "STOA_SLOTS: “0” is not a whole number from 1 to 256")
        #expect(error?.isUsageError == false)
        for (file, end) in [
            (#"{"slots": 0}"#, "slots: “0” is not a whole number from 1 to 256"),
            (#"{"slotz": 1}"#, "there is no setting “slotz”"),
            (#"{"slots": true}"#, "not a JSON object of texts, numbers and lists of texts"),
            (#"{"slots": {"a": 1}}"#, "not a JSON object of texts, numbers and lists of texts"),
            ("[]", "not a JSON object of texts, numbers and lists of texts"),
            ("{", "not a JSON object of texts, numbers and lists of texts"),
        ] {
            let error = #expect(throws: SettingError.self) { try load(file: file) }
            #expect(error?.description.hasSuffix(end) == true, "\(file)")
            #expect(error?.isUsageError == false)
        }
    }

    @Test("a secret's value is not repeated")
    func secrets() throws {
        let secret = ServerSettings.definitions.filter(\.isSecret).map(\.name)
        #expect(
            secret == [
                "database-url", "database-listen-url", "oidc-client-secret", "metrics-token",
            ]
        )
    }

    @Test("a guessable token for metrics is refused, and not repeated")
    func metricsToken() throws {
        let error = #expect(throws: SettingError.self) {
            try load(["--metrics-token", "guess-me"])
        }
        #expect(error?.description.contains("metrics-token is too short") == true)
        #expect(error?.description.contains("guess-me") == false)
        let settings = try load(["--metrics-token", "sixteen-or-more-"])
        #expect(settings.metricsToken == "sixteen-or-more-")
    }

    @Test(
        "settings of traces that would do nothing, or send secrets in the open, are refused",
        arguments: [
            (["--traces-from", "10.0.0.1"], "need a traces-endpoint"),
            (["--traces-headers-file", "x"], "need a traces-endpoint"),
            (["--traces-endpoint", "collector:4318"], "not an http or https URL"),
            (
                ["--traces-endpoint", "http://a:4318", "--traces-headers-file", "x"],
                "traces-headers-file needs https"
            ),
            (["--traces-ratio", "2"], "is not a number from 0.0 to 1.0"),
        ]
    )
    func traces(arguments: [String], reason: String) throws {
        let error = #expect(throws: SettingError.self) { try load(arguments) }
        #expect(error?.description.contains(reason) == true)
    }

    @Test("a certificate without its key is refused")
    func halfTLS() {
        #expect(throws: SettingError.self) { try load(["--tls-key", "key.pem"]) }
        let two = ["--tls-certificate", "a.pem,b.pem"]
        #expect(throws: SettingError.self) { try load(two + ["--tls-key", "a.pem"]) }
        #expect(throws: SettingError.self) {
            try load(two + ["--tls-key", "a.pem,b.pem", "--tls-self-signed", "on"])
        }
    }

    @Test("the file in the data directory is the default; a named file must exist")
    func files() throws {
        let folder = try TemporaryFolder()
        try folder.write("stoa.json", Array(#"{"port": 81, "allowed-origins": ["http://a"]}"#.utf8))
        let settings = try load(["--data-dir", folder.path])
        #expect(settings.port == 81)
        #expect(settings.allowedOrigins == ["http://a"])
        #expect(try load(environment: ["STOA_DATA_DIR": folder.path]).port == 81)
        let named = ["STOA_CONFIG": "\(folder.path)/stoa.json"]
        #expect(try load(environment: named).port == 81)
        #expect(throws: SettingError.self) {
            try load(environment: ["STOA_CONFIG": "\(folder.path)/other.json"])
        }
    }

    @Test("docs/reference/settings.md matches the list of settings")
    func reference() throws {
        let path = "\(SharedFiles.packageRoot)/docs/reference/settings.md"
        let page = try String(decoding: Data(contentsOf: URL(filePath: path)), as: UTF8.self)
        #expect(
            page == SettingsReference.markdown,
            "run: .build/release/stoa settings --markdown > docs/reference/settings.md"
        )
    }
}
