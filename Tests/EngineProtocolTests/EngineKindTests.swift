import EngineProtocol
import JSONText
import Testing

@Suite("Kinds of engines")
struct EngineKindTests {
    private func profile(
        _ replies: [EngineProbe: String],
        model: String = "phi"
    ) throws(EngineFault) -> EngineProfile {
        try EngineProfile(
            model: model,
            replies.compactMapValues { try? JSONValue(parsing: Array($0.utf8)) }
        )
    }

    private func list(_ members: String) -> String {
        #"{"object":"list","data":[{"id":"phi","object":"model"\#(members)}]}"#
    }

    @Test("each kind is found out by what it answers")
    func kinds() throws {
        #expect(
            try profile([
                .models: list(#","owned_by":"vllm","max_model_len":4096"#),
                .version: #"{"version":"0.11.0"}"#,
            ]) == EngineProfile(kind: .vllm, version: "0.11.0", contextLength: 4096)
        )
        #expect(
            try profile([.models: list(#","owned_by":"sglang","max_model_len":131072"#)])
                == EngineProfile(kind: .sglang, contextLength: 131072)
        )
        #expect(
            try profile([
                .models: list(#","owned_by":"llamacpp","meta":{"n_ctx_train":131072}"#),
                .props: """
                {"default_generation_settings":{"n_ctx":8192},"total_slots":4,"build_info":"b8681"}
                """,
            ]) == EngineProfile(kind: .llamaServer, version: "b8681", contextLength: 8192, slots: 4)
        )
        #expect(try profile([.models: list("")]).kind == .mlx)
        #expect(
            try profile([
                .models: #"{"data":[{"id":"phi:latest","object":"model","owned_by":"library"}]}"#,
                .ollamaVersion: #"{"version":"0.12.3"}"#,
            ]) == EngineProfile(kind: .ollama, version: "0.12.3")
        )
        #expect(try profile([.models: list(#","owned_by":"stoa""#)]).kind == .stoa)
        #expect(
            try profile([.models: list(#","owned_by":"me","permissions":[]"#)])
                == EngineProfile(kind: .llamaPython, slots: 1)
        )
        #expect(try profile([.models: list(#","owned_by":"someone""#)]).kind == .other)
    }

    @Test("an engine without the model, or without a list, is refused by name")
    func refusals() {
        #expect(throws: EngineFault.notFound("it has no model “other”, but phi")) {
            try profile([.models: list("")], model: "other")
        }
        #expect(throws: EngineFault.malformed("there is no list of models at /v1/models")) {
            try profile([.models: "<html>"])
        }
    }

    @Test("figures that cannot be true are not believed")
    func figures() throws {
        let claims = #","owned_by":"vllm","max_model_len":-1"#
        #expect(try profile([.models: list(claims)]).contextLength == nil)
        let large = #","owned_by":"vllm","max_model_len":99999999999"#
        #expect(try profile([.models: list(large)]).contextLength == nil)
    }

    @Test("probes are below the base URL, or below its parent")
    func paths() {
        #expect(EngineProbe.models.path(below: "/v1") == "/v1/models")
        #expect(EngineProbe.props.path(below: "/v1") == "/props")
        #expect(EngineProbe.version.path(below: "/gpu/v1") == "/gpu/version")
        #expect(EngineProbe.ollamaVersion.path(below: "") == "/api/version")
    }
}
