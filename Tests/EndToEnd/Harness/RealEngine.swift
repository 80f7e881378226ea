// Programs of others that speak OpenAI's API, installed by Tools/engines/setup.sh.

import FoundationEssentials
import Glibc
import HTTPProtocol
import TestSupport

/// A running engine on a port of its own. It is killed with this object.
final class RealEngine {
    /// Which program.
    enum Kind: String, CaseIterable {
        case mlx = "mlx_lm.server"
        case llama = "llama-cpp-python"
    }

    /// The folder with the engines; nil if `make setup-engines` was not run.
    static let folder: String? = {
        let folder = ProcessInfo.processInfo.environment["STOA_ENGINES"] ?? "/tmp/stoa-engines"
        let exists = FileManager.default.fileExists(atPath: "\(folder)/demo.gguf")
        return exists ? folder : nil
    }()

    let model: String
    private let port: UInt16
    private let folder: TemporaryFolder
    private let program: Program

    /// Starts the demo model, and waits until the engine lists it.
    init(_ kind: Kind) throws {
        guard let engines = Self.folder else { throw HarnessError("make setup-engines first") }
        folder = try TemporaryFolder()
        let (socket, port) = try listeningSocket()
        close(socket)
        self.port = port
        let arguments: [String]
        switch kind {
        case .mlx:
            model = "\(engines)/demo"
            arguments = [
                "\(engines)/venv/bin/mlx_lm.server", "--model", model, "--port", "\(port)",
            ]
        case .llama:
            model = "demo"
            arguments = [
                "\(engines)/venv/bin/python", "-m", "llama_cpp.server",
                "--model", "\(engines)/demo.gguf", "--model_alias", model, "--n_ctx", "2048",
                "--port", "\(port)",
            ]
        }
        // mlx_lm.server lists its models only where this folder exists.
        try FileManager.default.createDirectory(
            atPath: "\(folder.path)/hub",
            withIntermediateDirectories: true
        )
        program = try Program(
            "/usr/bin/env",
            ["HF_HOME=\(folder.path)", "HF_HUB_OFFLINE=1"] + arguments,
            errorPath: "\(folder.path)/log"
        )
        try eventually("\(kind.rawValue) lists its model", within: .seconds(120)) {
            let answer = try? HTTPCall.send(.get, "/v1/models", port: port)
            return answer?.text.contains("\"\(model)\"") == true
        }
    }

    /// The words of the setting `remote-engine`.
    var setting: String { "http://127.0.0.1:\(port)/v1 model=\(model) as=remote" }
}
