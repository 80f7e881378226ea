// The programs that speak OpenAI's API, and how they are told apart: by what they answer, never by
// configuration.

public import JSONText

/// A kind of remote engine.
public enum EngineKind: String, Sendable, Hashable, CaseIterable {
    case vllm = "vLLM"
    case sglang = "SGLang"
    case llamaServer = "llama-server"
    /// The server of llama-cpp-python, another program with the same library.
    case llamaPython = "llama-cpp-python"
    case mlx = "mlx_lm.server"
    case ollama = "Ollama"
    case stoa = "Stoa"
    /// Any other program with OpenAI's API.
    case other = "OpenAI's API"

    /// Whether it takes a prompt as token ids, so that the template is applied here and no text can
    /// become a special token.
    public var takesTokens: Bool {
        switch self {
        case .vllm, .sglang, .llamaServer: true
        case .llamaPython, .mlx, .ollama, .stoa, .other: false
        }
    }

    /// Whether it is llama.cpp, which has names of its own for samplers.
    var isLlama: Bool { self == .llamaServer || self == .llamaPython }

    /// Whether it uses samplers that a request does not name: llama.cpp a `top_k` of 40 and a `min_p` of
    /// 0.05, vLLM and SGLang what the model's `generation_config.json` has.
    var hasSamplersOn: Bool { isLlama || self == .vllm || self == .sglang }

    /// Whether it takes presence and frequency penalties, and biases of tokens. For penalties vLLM,
    /// SGLang and Stoa count the tokens of the answer; llama-server also those of the prompt, the
    /// last 64 together.
    public var adjustsLogits: Bool {
        switch self {
        case .vllm, .sglang, .llamaServer, .stoa: true
        case .llamaPython, .mlx, .ollama, .other: false
        }
    }

    /// Whether it takes a limit of the thinking part, with a prompt of messages.
    public var limitsThinking: Bool {
        switch self {
        case .vllm, .llamaServer, .stoa: true
        case .sglang, .llamaPython, .mlx, .ollama, .other: false
        }
    }

    /// Whether its answers can have the form of a JSON schema.
    public var holdsSchemas: Bool {
        switch self {
        case .vllm, .sglang, .llamaServer, .llamaPython, .ollama, .stoa, .other: true
        case .mlx: false
        }
    }

    /// Whether it continues an answer that has begun, given as the last message. llama-server, and Ollama
    /// by it, repeat what the answer has so far, and lose a part of the templates of Phi-3.5 and
    /// Phi-4-mini before it.
    public var continuesMessages: Bool {
        switch self {
        case .vllm, .sglang: true
        case .llamaServer, .llamaPython, .mlx, .ollama, .stoa, .other: false
        }
    }
}

/// A question to an engine about itself.
public enum EngineProbe: Sendable, Hashable, CaseIterable {
    /// The models: OpenAI's API, all kinds.
    case models
    /// Properties of llama-server.
    case props
    /// The version of vLLM.
    case version
    /// The version of Ollama.
    case ollamaVersion

    /// The path below the base URL's, which ends with `/v1`, or below its parent.
    public func path(below base: String) -> String {
        let root = base.hasSuffix("/v1") ? String(base.dropLast(3)) : base
        return switch self {
        case .models: "\(base)/models"
        case .props: "\(root)/props"
        case .version: "\(root)/version"
        case .ollamaVersion: "\(root)/api/version"
        }
    }
}

/// What an engine says about itself.
public struct EngineProfile: Sendable, Hashable {
    /// What it is.
    public var kind: EngineKind
    /// Its version, if it tells.
    public var version: String?
    /// Maximum tokens of prompt and answer together, if it tells.
    public var contextLength: Int?
    /// How many answers it generates at once, if it tells.
    public var slots: Int?

    /// Creates a profile.
    public init(
        kind: EngineKind,
        version: String? = nil,
        contextLength: Int? = nil,
        slots: Int? = nil
    ) {
        self.kind = kind
        self.version = version
        self.contextLength = contextLength
        self.slots = slots
    }

    /// Reads the replies to the probes. A reply that is missing or makes no sense tells nothing.
    /// - Parameters:
    ///   - model: the model's name there.
    ///   - replies: the documents of the probes that were answered with 200.
    /// - Throws: `.malformed` if the list of models is none, `.notFound` if it lacks the model.
    public init(
        model: String,
        _ replies: [EngineProbe: JSONValue]
    ) throws(EngineFault) {
        guard let list = replies[.models]?["data"]?.array else {
            throw .malformed("there is no list of models at /v1/models")
        }
        guard let entry = list.first(where: { Self.isNamed($0["id"]?.string, model) }) else {
            let names = list.prefix(5).compactMap { $0["id"]?.string?.bounded }
            throw .notFound("it has no model “\(model)”, but \(names.joined(separator: ", "))")
        }
        let version = replies[.version]?["version"]?.string?.bounded
        let ollama = replies[.ollamaVersion]?["version"]?.string?.bounded
        let props = replies[.props]
        let settings = props?["default_generation_settings"]
        switch entry["owned_by"]?.string {
        case "vllm"?: self.init(kind: .vllm, version: version)
        case "sglang"?: self.init(kind: .sglang)
        case "stoa"?: self.init(kind: .stoa)
        case "llamacpp"? where settings != nil:
            self.init(kind: .llamaServer, version: props?["build_info"]?.string?.bounded)
        case "me"? where entry["permissions"] != nil: self.init(kind: .llamaPython)
        case _ where ollama != nil: self.init(kind: .ollama, version: ollama)
        // Its list has neither an owner nor other members.
        case nil where entry["object"]?.string == "model": self.init(kind: .mlx)
        default: self.init(kind: .other)
        }
        contextLength = Self.count(entry["max_model_len"]) ?? Self.count(settings?["n_ctx"])
        switch kind {
        case .llamaServer: slots = Self.count(props?["total_slots"])
        // A second request would interrupt the first.
        case .llamaPython: slots = 1
        case .vllm, .sglang, .mlx, .ollama, .stoa, .other: break
        }
    }

    /// Ollama lists `phi4:latest` for the model `phi4`.
    private static func isNamed(_ listed: String?, _ model: String) -> Bool {
        listed == model || listed == "\(model):latest"
    }

    private static func count(_ value: JSONValue?) -> Int? {
        value?.integer.flatMap { (1...1 << 24).contains($0) ? $0 : nil }
    }
}

extension String {
    /// The text in at most 200 characters without control characters, for logs and messages.
    public var bounded: String {
        String(String.UnicodeScalarView(unicodeScalars.prefix(200).filter { $0.value >= 32 }))
    }
}
