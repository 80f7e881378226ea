import Foundation
import PhiEngine
import Synchronization
import TestSupport
import Testing

@Suite("Tools", .timeLimit(.minutes(1)))
struct ToolTests {
    private struct City: Codable { let city: String }
    private struct Weather: Codable { let degreesCelsius: Int }

    private let weather = Tool<City, Weather>(
        name: "get_weather",
        description: "The weather in a city",
        parameters: [
            .required("city", type: .string, description: "The city"),
            .optional(
                "unit",
                type: .string,
                description: "The unit",
                extraProperties: ["enum": ["celsius", "fahrenheit"]]
            ),
        ]
    ) { Weather(degreesCelsius: $0.city == "Oslo" ? -7 : 20) }

    private let greedy = GenerateParameters(maxTokens: 20, temperature: 0)

    /// A model that calls the tool, and answers once it has the result.
    private func model() async throws -> (ScriptedModel, ModelContainer) {
        let script = try ScriptedModel()
        return (script, try await loadModelContainer(from: URL(filePath: script.folder.path)))
    }

    @Test("a session executes calls by toolDispatch, and the model answers with their results")
    func dispatch() async throws {
        let (script, container) = try await model()
        let calls = Mutex<[ToolCall]>([])
        let session = ChatSession(
            container,
            generateParameters: greedy,
            tools: [weather.schema],
            toolDispatch: { [weather] call in
                calls.withLock { $0.append(call) }
                return try await call.execute(with: weather).toolResult
            }
        )
        #expect(try await session.respond(to: "Is it cold in Oslo?") == ScriptedModel.answer)
        #expect(calls.withLock { $0.map(\.function.name) } == ["get_weather"])
        #expect(calls.withLock { $0.map(\.function.arguments) } == [["city": .string("Oslo")]])
        withExtendedLifetime(script) {}
    }

    @Test("without toolDispatch calls are in the stream, and the program gives their results")
    func byHand() async throws {
        let (script, container) = try await model()
        let session = ChatSession(container, generateParameters: greedy, tools: [weather.schema])
        var events: [Generation] = []
        for try await event in session.streamDetails(to: "Is it cold in Oslo?") {
            events.append(event)
        }
        #expect(events.compactMap(\.chunk).isEmpty)
        let call = try #require(events.compactMap(\.toolCall).first)
        #expect(events.last?.info?.stopReason == .stop)
        let result = try await call.execute(with: weather).toolResult
        #expect(result == #"{"degrees_celsius":-7}"#)
        #expect(try await session.respond(to: [.tool(result)]) == ScriptedModel.answer)
        withExtendedLifetime(script) {}
    }

    @Test("an answer to a prompt without tools has no calls, only text")
    func withoutTools() async throws {
        let (script, container) = try await model()
        let answer = try await ChatSession(container, generateParameters: greedy)
            .respond(to: "Is it cold in Oslo?")
        #expect(answer == "<|tool_call|>\(ScriptedModel.call)<|/tool_call|>")
        withExtendedLifetime(script) {}
    }

    @Test("the prompt describes tools in the system prompt, and results in the model's role")
    func prompt() async throws {
        let (script, container) = try await model()
        let function: [String: any Sendable] = ["name": "f", "arguments": #"{"a": 1}"#]
        let call: [String: any Sendable] = ["type": "function", "function": function]
        let description: [String: any Sendable] = ["name": "f", "parameters": [:] as [String: Int]]
        let tokens = try container.tokenizer.applyChatTemplate(
            messages: [
                ["role": "user", "content": "Hi"],
                ["role": "assistant", "content": "", "tool_calls": [call]],
                ["role": "tool", "content": "<|end|>"],
            ],
            tools: [["type": "function", "function": description]]
        )
        let text = container.tokenizer.decode(tokenIds: tokens)
        #expect(
            text == #"""
                <|system|><|tool|>[{"name": "f", "parameters": {}}]<|/tool|><|end|><|user|>Hi<|end|>\#
                <|assistant|><|tool_call|>[{"name": "f", "arguments": {"a": 1}}]<|/tool_call|><|end|>\#
                <|tool_response|><|end|><|end|><|answer|>
                """#
        )
        // The result's text is no token.
        let end = try #require(container.tokenizer.convertTokenToId("<|end|>"))
        #expect(tokens.count { $0 == end } == 4)
        withExtendedLifetime(script) {}
    }

    @Test("a model whose template writes no tools refuses them, and says which model does")
    func refusal() async throws {
        let session = ChatSession(try await Demo.container(), tools: [weather.schema])
        let error = await #expect(throws: PhiEngineError.self) {
            try await session.respond(to: "Is it cold in Oslo?")
        }
        #expect(error?.description.contains("Phi-4-mini") == true)
    }

    @Test("a call is executed only by its tool, with arguments that are its input")
    func execution() async throws {
        let other = ToolCall(function: .init(name: "other", arguments: [:] as [String: JSONValue]))
        let mismatch = ToolError.nameMismatch(toolName: "get_weather", functionName: "other")
        await #expect(throws: mismatch) {
            try await other.execute(with: weather)
        }
        let wrong = ToolCall(function: .init(name: "get_weather", arguments: ["city": 3]))
        await #expect(throws: DecodingError.self) { try await wrong.execute(with: weather) }
    }

    @Test("values of JSON are read, written and made of Swift's")
    func values() throws {
        let text = #"{"a":[1,2.5,"x",true,null]}"#
        let value = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
        let elements: [JSONValue] = [.int(1), .double(2.5), .string("x"), .bool(true), .null]
        #expect(value == .object(["a": .array(elements)]))
        #expect(String(decoding: try JSONEncoder().encode(value), as: UTF8.self) == text)
        #expect(JSONValue.from(["a": [1, 2.5, "x", true, NSNull()] as [Any]]) == value)
        #expect(JSONValue.from(value.anyValue) == value)
    }
}
