// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

/// Settings of every Swift target: docs/decisions/0002-language-settings.md says why each is there.
let swiftSettings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

/// A target of our own, which imports `imports` and nothing else.
func module(_ name: String, imports: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: imports, swiftSettings: swiftSettings)
}

/// The tests of the target `name`, in Tests/`name`Tests; `data` are files there that tests read.
func tests(
    of name: String,
    imports: [Target.Dependency] = [],
    usingSupport: Bool = true,
    data: [String] = []
) -> Target {
    .testTarget(
        name: "\(name)Tests",
        dependencies: [.target(name: name)] + (usingSupport ? ["TestSupport"] : []) + imports,
        exclude: data,
        swiftSettings: swiftSettings
    )
}

/// A library that only the server needs: with `traits: []` a package that depends on this one does not
/// even fetch it.
func serverLibrary(_ name: String, of package: String) -> Target.Dependency {
    .product(name: name, package: package, condition: .when(traits: ["Server"]))
}

let logging = serverLibrary("Logging", of: "swift-log")
let metrics = serverLibrary("CoreMetrics", of: "swift-metrics")
let tracing = serverLibrary("Tracing", of: "swift-distributed-tracing")
let configuration = serverLibrary("Configuration", of: "swift-configuration")
let argumentParser = serverLibrary("ArgumentParser", of: "swift-argument-parser")

let package = Package(
    name: "stoa",
    products: [
        .executable(name: "stoa", targets: ["stoa"]),
        .library(
            name: "PhiEngine",
            targets: [
                "PhiEngine", "Checkpoints", "Tokenizers", "PhiModel", "Inference", "JSONText",
                "ConstrainedText", "ThinkingText",
            ]
        ),
        .library(
            name: "MLXCompatibility",
            targets: [
                "MLX", "MLXLLM", "MLXLMCommon", "MLXHuggingFace", "HuggingFace", "Tokenizers",
            ]
        ),
    ],
    traits: [
        .trait(name: "Server", description: "The server and its commands, beside the library."),
        .default(enabledTraits: ["Server"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-configuration", exact: "1.4.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", exact: "1.7.3"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", exact: "2.13.0"),
    ],
    targets: [
        // C: headers for Swift, kernels, and the files that travel inside the binary.
        .target(name: "CLinux"),
        .systemLibrary(name: "CPostgres"),
        .systemLibrary(name: "COpenSSL"),
        .systemLibrary(name: "CZlib"),
        .systemLibrary(name: "CCMarkGFM"),
        .target(name: "PhiKernels"),
        .target(name: "BundledFiles", exclude: ["demo-model"]),

        // SHA-256 and hexadecimal digits, and deflate, for all below.
        module("Digests"),
        module("Deflate", imports: ["CZlib"]),

        // JSON texts as values, and as tokens of a stream.
        module("JSONText"),

        // Forms of answers, JSON schemas and patterns, and the tokens that keep them.
        module("ConstrainedText", imports: ["JSONText"]),

        // The thinking part of an answer's text.
        module("ThinkingText"),

        // Calls of tools in an answer's text.
        module("ToolCalls", imports: ["JSONText"]),

        // Counters and histograms, and their text for Prometheus.
        module("Instruments"),

        // Spans of traces, their context in header fields, and their text for OTLP.
        module("Traces", imports: ["JSONText", tracing]),

        // Protocol cores: bytes in, events out.
        module("HTTPProtocol"),
        module("EngineProtocol", imports: ["JSONText", "ConstrainedText", "ThinkingText"]),
        module("WebSocketProtocol", imports: ["HTTPProtocol", "Deflate"]),
        module("TLSEngine", imports: ["COpenSSL"]),

        // The loop and what talks on it.
        module("EventLoop", imports: ["Instruments", "CLinux"]),
        module("Networking", imports: ["EventLoop", "TLSEngine", "Instruments", "CLinux"]),
        module("Gateway", imports: ["EventLoop", "Networking", "WebSocketProtocol"]),
        module(
            "Postgres",
            imports: ["EventLoop", "Digests", "Instruments", "CPostgres", "CLinux", logging]
        ),

        // PhiEngine: knows neither loop nor database.
        module("Checkpoints", imports: ["JSONText"]),
        module("Tokenizers", imports: ["Checkpoints", "JSONText", "ThinkingText"]),
        module("PhiModel", imports: ["PhiKernels", "Checkpoints"]),
        module(
            "Inference",
            imports: [
                "PhiModel", "Tokenizers", "Checkpoints", "Digests", "ConstrainedText",
                "ThinkingText",
            ]
        ),
        module(
            "RemoteEngine",
            imports: [
                "Inference", "EngineProtocol", "Tokenizers", "ConstrainedText", "JSONText",
                "ThinkingText", "Networking", "EventLoop", "TLSEngine", "HTTPProtocol", logging,
            ]
        ),
        module(
            "ModelHub",
            imports: ["Networking", "EventLoop", "TLSEngine", "HTTPProtocol", "COpenSSL"]
        ),

        // The engine in the words of MLX Swift LM, and modules that bear its names; Linux only.
        module(
            "PhiEngine",
            imports: [
                "ModelHub", "Inference", "PhiModel", "Tokenizers", "Checkpoints", "JSONText",
                "ToolCalls",
            ]
        ),
        module("MLX", imports: ["PhiEngine"]),
        module("MLXLLM", imports: ["PhiEngine"]),
        module("MLXLMCommon", imports: ["PhiEngine"]),
        module("HuggingFace", imports: ["PhiEngine"]),
        .macro(name: "MLXHuggingFaceMacros", swiftSettings: swiftSettings),
        module("MLXHuggingFace", imports: ["MLXHuggingFaceMacros", "PhiEngine"]),

        // Chat.
        module("ChatProtocol", imports: ["JSONText"]),
        module(
            "ChatCore",
            imports: ["ChatProtocol", "ConstrainedText", "JSONText", "ThinkingText"]
        ),
        module(
            "OpenAIProtocol",
            imports: [
                "ChatProtocol", "ChatCore", "ConstrainedText", "JSONText", "ThinkingText",
                "ToolCalls",
            ]
        ),
        module(
            "Transfers",
            imports: ["ChatProtocol", "Digests", "Deflate", "JSONText", "ThinkingText", "CZlib"]
        ),
        module(
            "ChatStore",
            imports: ["Postgres", "ChatCore", "ChatProtocol", "Transfers", "Digests"]
        ),
        module(
            "ChatServer",
            imports: [
                "HTTPProtocol", "WebSocketProtocol", "TLSEngine", "EventLoop", "Networking",
                "Gateway", "Postgres", "Checkpoints", "Tokenizers", "PhiModel", "Inference",
                "ChatProtocol", "ChatCore", "ChatStore", "ConstrainedText", "Transfers", "ModelHub",
                "BundledFiles", "OpenAIProtocol", "RemoteEngine", "Digests", "Instruments",
                "ThinkingText", "ToolCalls", "Traces", "COpenSSL", logging, metrics, tracing,
            ]
        ),
        module(
            "ChatClient",
            imports: [
                "Networking", "EventLoop", "TLSEngine", "HTTPProtocol", "WebSocketProtocol",
                "ChatCore", "ChatProtocol", "Digests",
            ]
        ),

        // What a site of so many people needs, from measured costs.
        module("Capacity"),

        // Text on a terminal: bytes and keys in, bytes out.
        module("TerminalText", imports: ["ChatProtocol", "CCMarkGFM"]),
        .executableTarget(
            name: "stoa",
            dependencies: [
                "ChatServer", "ChatClient", "ModelHub", "EventLoop", "ChatCore", "ChatProtocol",
                "Transfers", "HTTPProtocol", "Inference", "PhiModel", "Tokenizers", "Checkpoints",
                "Digests", "JSONText", "TerminalText", "ThinkingText", argumentParser,
                configuration, logging,
            ],
            swiftSettings: swiftSettings
        ),

        // Measurements; Benchmarks/run.sh runs them.
        .target(name: "MachineLimits", path: "Benchmarks/Limits"),
        .target(
            name: "ModelQuality",
            dependencies: ["PhiModel", "Checkpoints"],
            path: "Benchmarks/Quality",
            swiftSettings: swiftSettings
        ),
        .executableTarget(
            name: "stoa-bench",
            dependencies: [
                "Capacity", "ChatClient", "ChatCore", "ChatProtocol", "ChatServer", "ChatStore",
                "Checkpoints", "ConstrainedText", "Digests", "Doubles", "EventLoop", "Gateway",
                "HTTPProtocol", "Inference", "JSONText", "MachineLimits", "ModelQuality",
                "Networking", "PhiModel", "Postgres", "Tokenizers",
                "Transfers", "WebSocketProtocol", argumentParser, logging,
            ],
            path: "Benchmarks/Sources",
            swiftSettings: swiftSettings
        ),

        // The gateway alone, without a chat: a peer for conformance suites and Benchmarks/gateway.sh.
        .executableTarget(
            name: "stoa-echo",
            dependencies: [
                "Gateway", "EventLoop", "Networking", "HTTPProtocol", "WebSocketProtocol",
                "TLSEngine", argumentParser,
            ],
            path: "Benchmarks/Echo",
            swiftSettings: swiftSettings
        ),

        // Kills servers and databases under load; `make chaos` runs it.
        .executableTarget(
            name: "stoa-chaos",
            dependencies: [
                "ChatClient", "ChatProtocol", "ChatStore", "Digests", "Doubles", "EventLoop",
                "HTTPProtocol", "JSONText", "Networking", "Postgres", "CLinux", argumentParser,
            ],
            path: "Benchmarks/Chaos",
            swiftSettings: swiftSettings
        ),

        // A program for MLX Swift LM, in docs/use/from-mlx.md too.
        .executableTarget(
            name: "from-mlx",
            dependencies: ["MLX", "MLXLLM", "MLXLMCommon"],
            path: "Examples/FromMLX",
            swiftSettings: swiftSettings
        ),

        // Tests.
        .target(
            name: "TestSupport",
            dependencies: [
                "Postgres", "EventLoop", "Networking", "HTTPProtocol", "CLinux", "COpenSSL",
            ],
            path: "Tests/TestSupport",
            swiftSettings: swiftSettings
        ),
        // Scripted servers on loopback; without Testing, so that programs can use them, too.
        .target(
            name: "Doubles",
            dependencies: [
                "EventLoop", "Networking", "HTTPProtocol", "TLSEngine", "JSONText", "CLinux",
            ],
            path: "Tests/Doubles",
            swiftSettings: swiftSettings
        ),
        tests(of: "Digests", usingSupport: false),
        tests(of: "JSONText"),
        tests(of: "ConstrainedText", imports: ["JSONText"]),
        tests(of: "ThinkingText"),
        tests(of: "ToolCalls", usingSupport: false),
        tests(of: "Instruments", usingSupport: false),
        tests(of: "Traces", imports: ["JSONText", tracing], usingSupport: false),
        tests(of: "HTTPProtocol"),
        tests(of: "EngineProtocol", imports: ["JSONText", "ConstrainedText"]),
        tests(
            of: "RemoteEngine",
            imports: [
                "ConstrainedText", "Doubles", "EventLoop", "HTTPProtocol", "Inference", "JSONText",
                "Tokenizers", logging,
            ],
            usingSupport: false
        ),
        tests(of: "Deflate"),
        tests(of: "WebSocketProtocol", imports: ["HTTPProtocol", "Deflate"]),
        tests(of: "TLSEngine"),
        tests(of: "EventLoop", imports: ["CLinux"], usingSupport: false),
        tests(of: "Networking", imports: ["EventLoop", "TLSEngine", "Instruments", "CLinux"]),
        tests(
            of: "Gateway",
            imports: ["EventLoop", "Networking", "WebSocketProtocol"],
            usingSupport: false
        ),
        tests(of: "Postgres", imports: ["EventLoop", logging]),
        tests(of: "Checkpoints", imports: ["JSONText"]),
        tests(of: "Tokenizers", imports: ["JSONText", "ThinkingText"], data: ["Golden"]),
        tests(
            of: "PhiModel",
            imports: ["PhiKernels", "Checkpoints", "JSONText"],
            data: ["Golden"]
        ),
        tests(
            of: "Inference",
            imports: [
                "PhiModel", "Tokenizers", "Checkpoints", "JSONText", "ConstrainedText",
                "ThinkingText",
            ]
        ),
        tests(of: "ModelQuality", imports: ["PhiModel", "Checkpoints", "JSONText"]),
        tests(
            of: "ModelHub",
            imports: ["EventLoop", "Networking", "HTTPProtocol", "COpenSSL"]
        ),
        tests(
            of: "PhiEngine",
            imports: [
                "ModelHub", "Inference", "PhiModel", "Tokenizers", "Checkpoints", "HuggingFace",
                "MLXHuggingFace", "from-mlx",
            ]
        ),
        tests(
            of: "ChatProtocol",
            imports: [
                "ChatCore", "ChatServer", "HTTPProtocol", "Instruments", "JSONText",
                "OpenAIProtocol", "ToolCalls", "Transfers",
            ]
        ),
        tests(of: "ChatCore", imports: ["ChatProtocol"]),
        tests(
            of: "OpenAIProtocol",
            imports: ["ChatProtocol", "ChatCore", "ConstrainedText", "ToolCalls"],
            usingSupport: false
        ),
        tests(
            of: "Transfers",
            imports: ["ChatProtocol", "JSONText", "CZlib"],
            data: ["Fixtures"]
        ),
        tests(
            of: "ChatStore",
            imports: ["Postgres", "EventLoop", "ChatCore", "ChatProtocol", "Transfers", logging]
        ),
        tests(
            of: "ChatServer",
            imports: [
                "ChatProtocol", "ChatCore", "ChatStore", "ChatClient", "Digests", "EventLoop",
                "Gateway", "HTTPProtocol", "Networking", "Postgres", "Checkpoints", "Inference",
                "Tokenizers", "TLSEngine", "Transfers", "WebSocketProtocol", "Instruments", logging,
                metrics,
            ]
        ),
        tests(
            of: "ChatClient",
            imports: [
                "ChatProtocol", "Digests", "EventLoop", "Networking", "HTTPProtocol",
                "WebSocketProtocol",
            ]
        ),
        tests(of: "Capacity"),
        tests(of: "TerminalText", usingSupport: false),
        tests(
            of: "stoa",
            imports: [
                "ChatServer", "ChatClient", "ChatProtocol", "Checkpoints", "Digests",
                "HTTPProtocol", "JSONText", "ModelHub", "TerminalText", "Tokenizers",
                argumentParser,
            ]
        ),
        .testTarget(
            name: "EndToEnd",
            dependencies: [
                "TestSupport", "Doubles", "ChatCore", "ChatProtocol", "Checkpoints",
                "ConstrainedText", "HTTPProtocol", "JSONText", "Postgres", "TLSEngine",
                "WebSocketProtocol", "CLinux", "COpenSSL", "stoa", "stoa-chaos", "stoa-echo",
            ],
            swiftSettings: swiftSettings
        ),
    ]
)
