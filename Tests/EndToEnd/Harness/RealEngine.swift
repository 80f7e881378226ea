// Programs of others that speak OpenAI's API, installed by Tools/engines/setup.sh, or named by variables.

import ChatProtocol
import FoundationEssentials
import Glibc
import HTTPProtocol
import TestSupport

/// A running engine on a port of its own. It ends with this object.
final class RealEngine {
    /// Which program.
    enum Kind: String, CaseIterable {
        case mlx = "mlx_lm.server"
        case llamaPython = "llama-cpp-python"
        case llamaServer = "llama-server"
        case vllm = "vLLM"
        case ollama = "Ollama"

        /// Those that are there.
        static var available: [Kind] { allCases.filter { $0.program != nil } }

        /// Whether Stoa sends it token ids.
        var takesTokens: Bool { self == .llamaServer || self == .vllm }
        /// Whether it tells usage of what it streams.
        var tellsUsage: Bool { self != .llamaPython }
        /// Whether its metrics tell its load.
        var tellsLoad: Bool { takesTokens }

        /// Its program; nil if it is not there.
        var program: String? {
            guard let folder = RealEngine.folder else { return nil }
            let environment = ProcessInfo.processInfo.environment
            let path: String? =
                switch self {
                case .mlx: "\(folder)/venv/bin/mlx_lm.server"
                case .llamaPython: "\(folder)/venv/bin/python"
                case .llamaServer: environment["LLAMA_SERVER"] ?? "\(folder)/bin/llama-server"
                case .vllm: environment["VLLM"]
                case .ollama: environment["OLLAMA"]
                }
            return path.flatMap { access($0, X_OK) == 0 ? $0 : nil }
        }
    }

    /// The folder with the engines; nil if `make setup-engines` was not run.
    static let folder: String? = {
        let folder = ProcessInfo.processInfo.environment["STOA_ENGINES"] ?? "/tmp/stoa-engines"
        let exists = FileManager.default.fileExists(atPath: "\(folder)/demo.gguf")
        return exists ? folder : nil
    }()

    let kind: Kind
    let model: String
    private let port: UInt16
    private let tokenizer: String
    private let folder: TemporaryFolder
    private let program: Program

    /// Starts the demo model, and waits until the engine lists it.
    init(_ kind: Kind) throws {
        guard let engines = Self.folder, let path = kind.program else {
            throw HarnessError("make setup-engines first")
        }
        self.kind = kind
        folder = try TemporaryFolder()
        let (socket, port) = try listeningSocket()
        close(socket)
        self.port = port
        // mlx_lm.server knows its model by the folder only.
        model = kind == .mlx ? "\(engines)/demo" : "demo"
        tokenizer = "\(engines)/demo"
        // mlx_lm.server lists its models only where this folder exists.
        try FileManager.default.createDirectory(
            atPath: "\(folder.path)/hub",
            withIntermediateDirectories: true
        )
        program = try Program(
            "/usr/bin/env",
            Self.variables(kind, folder.path, port)
                + [path] + Self.arguments(kind, engines, model, port),
            errorPath: "\(folder.path)/log"
        )
        if kind == .ollama { try importModel("\(engines)/demo.gguf") }
        try eventually("\(kind.rawValue) lists its model", within: .seconds(180)) {
            let answer = try? HTTPCall.send(.get, "/v1/models", port: port)
            return answer?.text.contains("\"\(model)") == true
        }
    }

    deinit {
        // vLLM and Ollama have children, which they end.
        program.send(SIGTERM)
        _ = try? program.end(within: .seconds(20))
    }

    /// The words of the setting `remote-engine`.
    var setting: String {
        let words = "http://127.0.0.1:\(port)/v1 model=\(model) as=remote label=\(label)"
        return kind.takesTokens ? "\(words) tokenizer=\(tokenizer)" : words
    }

    /// Its label among several.
    var label: String { "port-\(port)" }

    /// Ends it as a fault of its machine would.
    func kill() { program.send(SIGKILL) }

    // MARK: Programs

    private static func variables(_ kind: Kind, _ folder: String, _ port: UInt16) -> [String] {
        switch kind {
        case .mlx, .llamaPython, .llamaServer: ["HF_HOME=\(folder)", "HF_HUB_OFFLINE=1"]
        case .vllm:
            [
                "HF_HOME=\(folder)", "HF_HUB_OFFLINE=1", "VLLM_NO_USAGE_STATS=1",
                "VLLM_CPU_KVCACHE_SPACE=1", "VLLM_CPU_OMP_THREADS_BIND=nobind", "OMP_NUM_THREADS=1",
            ]
        case .ollama:
            [
                "HOME=\(folder)", "OLLAMA_MODELS=\(folder)/models",
                "OLLAMA_HOST=127.0.0.1:\(port)", "OLLAMA_CONTEXT_LENGTH=2048",
            ]
        }
    }

    private static func arguments(
        _ kind: Kind,
        _ engines: String,
        _ model: String,
        _ port: UInt16
    ) -> [String] {
        let gguf = "\(engines)/demo.gguf"
        return switch kind {
        case .mlx: ["--model", model, "--port", "\(port)"]
        case .llamaPython:
            [
                "-m", "llama_cpp.server", "--model", gguf, "--model_alias", model,
                "--n_ctx", "2048", "--port", "\(port)",
            ]
        case .llamaServer:
            [
                "-m", gguf, "-a", model, "-c", "8192", "-np", "4", "-t", "1", "--metrics",
                "--host", "127.0.0.1", "--port", "\(port)",
            ]
        case .vllm:
            [
                "serve", "\(engines)/demo-float", "--served-model-name", model,
                "--dtype", "float32", "--enforce-eager", "--max-num-seqs", "8",
                "--enable-prompt-tokens-details", "--host", "127.0.0.1", "--port", "\(port)",
            ]
        case .ollama: ["serve"]
        }
    }

    private func importModel(_ path: String) throws {
        let port = port
        try eventually("Ollama answers", within: .seconds(60)) {
            (try? HTTPCall.send(.get, "/api/version", port: port))?.status == 200
        }
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        let digest = "sha256:\(sha256(bytes))"
        _ = try HTTPCall.send(.post, "/api/blobs/\(digest)", port: port, body: bytes)
        let body = #"{"model":"\#(model)","files":{"demo.gguf":"\#(digest)"},"stream":false}"#
        let reply = try HTTPCall.send(.post, "/api/create", port: port, body: Array(body.utf8))
        guard reply.status == 200 else { throw HarnessError("Ollama: \(reply.text)") }
    }
}
