import ConstrainedText
import EngineProtocol
import JSONText
import Testing

@Suite("Requests to remote engines")
struct AnswerRequestTests {
    private let question = [
        AnswerRequest.Message(role: "system", content: "Be \"brief\".\n\u{1}"),
        AnswerRequest.Message(role: "user", content: "<|end|>🦉\\"),
    ]

    private func json(_ request: AnswerRequest, _ kind: EngineKind) throws -> JSONValue {
        try JSONValue(parsing: try request.body(for: kind))
    }

    @Test("messages are sent as they are, whatever they contain")
    func messages() throws {
        var request = AnswerRequest(
            model: "phi",
            prompt: .messages(question, answer: ""),
            tokensMax: 9
        )
        request.stopStrings = ["\n\n"]
        request.seed = 1 << 53 - 1
        let body = try json(request, .other)
        let sent = body["messages"]?.array ?? []
        #expect(sent.map { $0["role"]?.string } == ["system", "user"])
        #expect(sent.map { $0["content"]?.string } == question.map(\.content))
        #expect(body["max_tokens"]?.integer == 9 && body["stream"]?.bool == true)
        #expect(body["stream_options"]?["include_usage"]?.bool == true)
        #expect(body["stop"]?.array == [.string("\n\n")])
        #expect(body["temperature"]?.double == 0 && body["seed"]?.integer == 1 << 53 - 1)
        #expect(body["top_k"] == nil && body["cache_salt"] == nil)
        #expect(request.dialect(for: .vllm) == .chat)
    }

    @Test("the form of an answer is asked for in each engine's words")
    func forms() throws {
        let schema = #"{"type":"object","properties":{"a":{"type":"null"}}}"#
        var chat = AnswerRequest(
            model: "phi",
            prompt: .messages(question, answer: ""),
            tokensMax: 9
        )
        chat.constraint = .jsonSchema(schema)
        let value = try JSONValue(parsing: Array(schema.utf8))
        let format = try json(chat, .other)["response_format"]
        #expect(format?["type"]?.string == "json_schema")
        #expect(format?["json_schema"]?["schema"] == value)
        #expect(format?["json_schema"]?["strict"]?.bool == true)
        chat.constraint = .jsonObject
        #expect(try json(chat, .ollama)["response_format"]?["type"]?.string == "json_object")
        var tokens = AnswerRequest(model: "phi", prompt: .tokens([1]), tokensMax: 9)
        tokens.constraint = .jsonSchema(schema)
        #expect(try json(tokens, .llamaServer)["json_schema"] == value)
        #expect(try json(tokens, .sglang)["json_schema"]?.string == schema)
        #expect(try json(tokens, .vllm)["response_format"] == format)
    }

    @Test("a form that an engine cannot hold is not sent")
    func formsNotHeld() throws {
        var request = AnswerRequest(
            model: "phi",
            prompt: .messages(question, answer: ""),
            tokensMax: 9
        )
        request.constraint = .jsonObject
        #expect(throws: EngineFault.cannotHoldForm) { try request.body(for: .mlx) }
        // An engine would begin the form again.
        request.hasBegun = true
        #expect(throws: EngineFault.cannotContinue) { try request.body(for: .vllm) }
        request.hasBegun = false
        request.constraint = .pattern("a")
        #expect(throws: EngineFault.cannotHoldForm) { try request.body(for: .vllm) }
    }

    @Test("token ids go to the endpoint that takes them")
    func tokens() throws {
        var request = AnswerRequest(model: "phi", prompt: .tokens([1, 200_019, 3]), tokensMax: 9)
        request.cacheScope = "c1"
        request.repetitionPenalty = 1.5
        let ids: [JSONValue] = [.integer(1), .integer(200_019), .integer(3)]
        let vllm = try json(request, .vllm)
        #expect(vllm["prompt"]?.array == ids && vllm["max_tokens"]?.integer == 9)
        #expect(vllm["cache_salt"]?.string == "c1")
        #expect(vllm["repetition_penalty"]?.double == 1.5)
        #expect(try json(request, .sglang)["cache_salt"]?.string == "c1")
        let llama = try json(request, .llamaServer)
        #expect(llama["prompt"]?.array == ids && llama["n_predict"]?.integer == 9)
        #expect(llama["repeat_penalty"]?.double == 1.5 && llama["stream_options"] == nil)
        let path = { AnswerRequest.path(request.dialect(for: $0), below: "/v1") }
        #expect(path(.vllm) == "/v1/completions" && path(.llamaServer) == "/completion")
    }

    @Test("samplers that are off are sent to engines that have them on otherwise")
    func samplersOff() throws {
        var request = AnswerRequest(model: "phi", prompt: .tokens([1]), tokensMax: 9)
        for (kind, topK) in [(EngineKind.vllm, 0), (.sglang, -1), (.llamaServer, 0)] {
            let body = try json(request, kind)
            #expect(body["top_k"]?.integer == topK && body["min_p"]?.double == 0)
            let name = kind == .llamaServer ? "repeat_penalty" : "repetition_penalty"
            #expect(body[name]?.double == 1)
        }
        request.topK = 7
        request.minP = 0.25
        for kind in EngineKind.allCases {
            let body = try json(request, kind)
            #expect(body["top_k"]?.integer == 7 && body["min_p"]?.double == 0.25)
        }
        request.prompt = .messages(question, answer: "")
        request.topK = 0
        request.minP = 0
        for kind in [EngineKind.mlx, .ollama, .stoa, .other] {
            let body = try json(request, kind)
            #expect(body["top_k"] == nil && body["min_p"] == nil)
            #expect(body["repetition_penalty"] == nil)
        }
    }

    @Test("penalties and biases are sent to engines that have them, and to no others")
    func penalties() throws {
        var request = AnswerRequest(
            model: "phi",
            prompt: .messages(question, answer: ""),
            tokensMax: 9
        )
        #expect(try json(request, .vllm)["presence_penalty"] == nil)
        request.presencePenalty = 0.5
        request.frequencyPenalty = -1
        for kind in EngineKind.allCases where kind.adjustsLogits {
            let body = try json(request, kind)
            #expect(body["presence_penalty"]?.double == 0.5)
            #expect(body["frequency_penalty"]?.double == -1)
            #expect(body["logit_bias"] == nil)
            var biased = request
            (biased.presencePenalty, biased.frequencyPenalty) = (0, 0)
            biased.logitBias = [.init(token: 3, bias: -100), .init(token: 40, bias: 0.5)]
            let object = try json(biased, kind)["logit_bias"]?.object
            #expect(object?.count == 2 && object?["3"]?.double == -100)
            #expect(object?["40"]?.double == 0.5)
        }
        for kind in EngineKind.allCases where !kind.adjustsLogits {
            #expect(throws: EngineFault.cannotAdjustLogits) { try request.body(for: kind) }
            var biased = request
            (biased.presencePenalty, biased.frequencyPenalty) = (0, 0)
            biased.logitBias = [.init(token: 3, bias: 1)]
            #expect(throws: EngineFault.cannotAdjustLogits) { try biased.body(for: kind) }
        }
    }

    @Test("a prompt without messages is only for engines that take token ids")
    func withoutMessages() {
        let prompt = AnswerRequest.Prompt.messages([], answer: "")
        let request = AnswerRequest(model: "phi", prompt: prompt, tokensMax: 9)
        for kind in EngineKind.allCases {
            #expect(throws: EngineFault.cannotTakeTokens) { try request.body(for: kind) }
        }
    }

    @Test("an answer that has begun is continued where the engine can")
    func continuation() throws {
        let request = AnswerRequest(
            model: "phi",
            prompt: .messages(question, answer: "Once"),
            tokensMax: 9
        )
        for kind in EngineKind.allCases where kind.continuesMessages {
            let body = try json(request, kind)
            let last = body["messages"]?.array?.last
            #expect(last?["role"]?.string == "assistant" && last?["content"]?.string == "Once")
            #expect(body["continue_final_message"]?.bool == true)
            #expect(body["add_generation_prompt"]?.bool == (kind == .vllm ? false : nil))
        }
        for kind in EngineKind.allCases where !kind.continuesMessages {
            #expect(throws: EngineFault.cannotContinue) { try request.body(for: kind) }
        }
    }
}
