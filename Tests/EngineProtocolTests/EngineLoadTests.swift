import EngineProtocol
import Testing

@Suite("The load that engines tell")
struct EngineLoadTests {
    private func load(_ text: String, _ kind: EngineKind = .vllm) -> EngineLoad? {
        EngineLoad(metrics: Array(text.utf8), of: kind)
    }

    @Test("samples are added up, whatever their labels")
    func sums() {
        let text = """
            # HELP vllm:num_requests_running Number of requests in model execution batches.
            # TYPE vllm:num_requests_running gauge
            vllm:num_requests_running{engine="0",model_name="a} 9 {b"} 3.0
            vllm:num_requests_running{engine="1",model_name="phi"} 2.0 1700000000000
            vllm:num_requests_waiting{engine="0",model_name="phi"} 4
            vllm:num_requests_waiting_total 99
            """
        #expect(load(text) == EngineLoad(running: 5, waiting: 4))
        #expect(load("sglang:num_running_reqs 1\nsglang:num_queue_reqs 2", .sglang)?.total == 3)
        let llama = "llamacpp:requests_processing 1\nllamacpp:requests_deferred 0"
        #expect(load(llama, .llamaServer)?.total == 1)
        #expect(load(llama, .mlx) == nil)
    }

    @Test(
        "values that make no sense are no load",
        arguments: ["NaN", "+Inf", "-1", "1e300", "", "{", "} 5 6", "1".padded(to: 4000)]
    )
    func nonsense(value: String) {
        #expect(load("vllm:num_requests_running \(value)\nvllm:num_requests_waiting 1") == nil)
    }
}

extension String {
    fileprivate func padded(to count: Int) -> String { String(repeating: self, count: count) }
}
