import ConstrainedText
import FoundationEssentials
import JSONText
import TestSupport
import Testing

@Suite("The form of calls")
struct CallFormTests {
    private static let opening: Int32 = 0
    private static let schema = #"""
        {"type":"array","minItems":1,"items":{"type":"object","properties":{"name":{"const":"red"},
        "arguments":{"type":"object","properties":{"id":{"type":"integer"}},"required":["id"],
        "additionalProperties":false}},"required":["name","arguments"],"additionalProperties":false}}
        """#

    private func constraint() throws -> TokenConstraint {
        try TokenConstraint(
            CompiledConstraint(.calls(opening: "<|tool_call|>", schema: Self.schema)),
            trie: TestVocabulary.trie,
            stopTokens: [TestVocabulary.stop],
            opening: Self.opening
        )
    }

    /// The tokens that a mask leaves.
    private func allowed(_ answer: ConstrainedAnswer, room: Int) -> [Int32] {
        var logits = [Float](repeating: 0, count: TestVocabulary.pieces.count)
        logits.withUnsafeMutableBufferPointer { answer.mask($0, room: room) }
        return logits.indices.filter { logits[$0] == 0 }.map(Int32.init)
    }

    @Test("before its token everything is allowed, and the answer may end at any time")
    func text() throws {
        let answer = ConstrainedAnswer(try constraint())
        for token in [TestVocabulary.stop, 70, 71, 300] {
            #expect(answer.isComplete && answer.tokensToEnd == 0)
            #expect(allowed(answer, room: 100).count == TestVocabulary.pieces.count)
            #expect(answer.advance(token))
        }
    }

    @Test("calls begin only where there is room for them")
    func room() throws {
        let constraint = try constraint()
        let answer = ConstrainedAnswer(constraint)
        #expect(!allowed(answer, room: constraint.tokensMin).contains(Self.opening))
        #expect(allowed(answer, room: constraint.tokensMin + 1).contains(Self.opening))
    }

    @Test("after its token, every walk gives calls that are valid, within the room")
    func walks() throws {
        let constraint = try constraint()
        let validator = try SchemaValidator(Self.schema)
        var generator = SeededGenerator(seed: 9)
        for more in [0, 1, 5, 30, 100] {
            let answer = ConstrainedAnswer(constraint)
            #expect(answer.advance(70) && answer.advance(Self.opening))
            var text: [UInt8] = []
            var room = constraint.tokensMin + more
            while room > 0 {
                let token = try #require(
                    allowed(answer, room: room).randomElement(using: &generator)
                )
                if token == TestVocabulary.stop { break }
                #expect(answer.advance(token))
                text += TestVocabulary.pieces[Int(token)]
                room -= 1
            }
            #expect(answer.isComplete)
            #expect(validator.isValid(try JSONValue(parsing: text)))
        }
    }

    @Test("is written and read")
    func coding() throws {
        let form = AnswerConstraint.calls(opening: "<|tool_call|>", schema: Self.schema)
        let data = try JSONEncoder().encode(form)
        #expect(try JSONDecoder().decode(AnswerConstraint.self, from: data) == form)
    }
}
