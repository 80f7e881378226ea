import ConstrainedText
import Doubles
import Inference
import RemoteEngine
import Testing

@Suite("Forms of remote engines' answers")
struct AnswerFormTests {
    private static let form = AnswerConstraint.jsonSchema(
        #"{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}"#
    )

    private func answer(_ text: String) async throws -> RemoteScene.Answer {
        // The double writes a piece into its JSON as it is.
        let piece = text.replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
        let engine = try EngineDouble { _, _ in .stream([piece]) }
        let scene = try RemoteScene([engine.base])
        defer {
            scene.stop()
            engine.stop()
        }
        return try await scene.ask(constraint: Self.form)
    }

    @Test("an answer with the form is passed on, however it is written")
    func holds() async throws {
        let answer = try await answer("{ \n  \"b\" : [ ],\n \"a\":1 }")
        #expect(answer.completion?.finish == .stop && answer.error == nil)
    }

    @Test("an answer without it fails", arguments: [#"{"a":"x"}"#, "{}", "Sure! {"])
    func lacks(text: String) async throws {
        let answer = try await answer(text)
        #expect(answer.completion == nil)
        guard case .remote(_, let reason, _)? = answer.error else {
            return #expect(Bool(false), "it does not fail")
        }
        #expect(reason.contains("form"))
    }
}
