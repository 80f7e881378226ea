import ConstrainedText
import JSONText
import TestSupport
import Testing

@Suite("Tokens that keep a form")
struct TokenMaskTests {
    @Test("every walk through allowed tokens gives a valid value", arguments: SchemaExamples.all)
    func walks(example: SchemaTests.Example) throws {
        let constraint = try TestVocabulary.constraint(.jsonSchema(example.schema))
        let validator = try SchemaValidator(example.schema)
        var generator = SeededGenerator(seed: 1)
        for index in 0..<12 {
            // At the limit, near it, and far from it.
            let room = constraint.tokensMin + [0, 1, 3, 10, 40, 200][index % 6]
            let answer = try #require(TestVocabulary.walk(constraint, room: room, &generator))
            let value = try Bytes.value(of: answer.text)
            #expect(
                validator.isValid(value),
                "\(String(decoding: answer.text, as: UTF8.self)) of \(room) tokens"
            )
        }
    }

    @Test("every walk is valid against schemas like those of programs")
    func randomSchemas() throws {
        var random = RandomSchema(seed: 4, allowsAdditional: true)
        var generator = SeededGenerator(seed: 5)
        for index in 0..<40 {
            let schema = random.next()
            let constraint = try TestVocabulary.constraint(.jsonSchema(schema))
            let room = constraint.tokensMin + [0, 1, 5, 60][index % 4]
            let answer = try #require(TestVocabulary.walk(constraint, room: room, &generator))
            let value = try Bytes.value(of: answer.text)
            #expect(
                try SchemaValidator(schema).isValid(value),
                "\(schema): \(String(decoding: answer.text, as: UTF8.self))"
            )
        }
    }

    @Test(
        "every walk gives a text that matches a pattern",
        arguments: PatternTests.examples.map(\.pattern) + [
            "(a?){900}", "((a?b?c?){50}){50}", ".*a.{100}", "(a|aa|aaa|aaaa){1,1000}", "(.?){5000}",
        ]
    )
    func patterns(pattern: String) throws {
        let constraint = try TestVocabulary.constraint(.pattern(pattern))
        let matcher = TextMatcher(try CompiledConstraint(.pattern(pattern)))
        var generator = SeededGenerator(seed: 2)
        for index in 0..<6 {
            let room = max(1, constraint.tokensMin) + [0, 1, 5, 20, 30, 40][index]
            let answer = try #require(TestVocabulary.walk(constraint, room: room, &generator))
            #expect(
                matcher.matches(answer.text),
                "\(String(decoding: answer.text, as: UTF8.self)) of \(room) tokens"
            )
        }
    }

    @Test("walks of any object end within any room, and nest no deeper than readers accept")
    func anyObject() throws {
        let constraint = try TestVocabulary.constraint(.jsonObject)
        var generator = SeededGenerator(seed: 3)
        for room in [1, 2, 3, 4, 5, 8, 13, 50, 400, 1000] where room >= constraint.tokensMin {
            let answer = try #require(TestVocabulary.walk(constraint, room: room, &generator))
            #expect(try Bytes.value(of: answer.text).object != nil)
        }
    }

    @Test("the stop token is allowed exactly when the answer is complete")
    func stops() throws {
        let answer = ConstrainedAnswer(try TestVocabulary.constraint(.pattern("aa?")))
        let a = Int32(2 + UInt8(ascii: "a"))
        #expect(!answer.allowedTokens(room: 9).contains(TestVocabulary.stop))
        #expect(answer.advance(a))
        #expect(answer.isComplete)
        #expect(answer.allowedTokens(room: 9).contains(TestVocabulary.stop))
        #expect(answer.allowedTokens(room: 9).contains(a))
        #expect(answer.advance(a))
        #expect(answer.allowedTokens(room: 9).tokens == [TestVocabulary.stop])
        #expect(!answer.advance(a))
        #expect(!answer.advance(TestVocabulary.stop))
    }

    @Test("a token that crosses the border of values is allowed if all of it is")
    func borders() throws {
        let constraint = try TestVocabulary.constraint(
            .jsonSchema(
                #"{"properties":{"name":{"type":"string"}},"required":["name"],"#
                    + #""additionalProperties":false}"#
            )
        )
        let answer = ConstrainedAnswer(constraint)
        func allowed(_ text: String) -> Bool {
            let token = TestVocabulary.pieces.firstIndex(of: Array(text.utf8)) ?? 0
            return answer.allowedTokens(room: 100).contains(Int32(token))
        }
        func advance(_ text: String) -> Bool {
            answer.advance(Int32(TestVocabulary.pieces.firstIndex(of: Array(text.utf8)) ?? 0))
        }
        #expect(allowed("{\""))
        #expect(!allowed("{}"))
        #expect(advance("{"))
        #expect(allowed("\"name\":"))
        #expect(advance("\"name\":"))
        #expect(advance("\""))
        #expect(allowed("\"}"))
        #expect(allowed("漢字"))
        #expect(!allowed("\"}]"))
        #expect(!allowed("\",\""))
        #expect(!allowed("\n"))
    }

    @Test("the number of tokens that an answer needs is known before it starts")
    func tokensMin() throws {
        func tokensMin(_ schema: String) throws -> Int {
            try TestVocabulary.constraint(.jsonSchema(schema)).tokensMin
        }
        #expect(try tokensMin(#"{"const":"red"}"#) == 1)
        #expect(try tokensMin(#"{"type":"integer"}"#) == 1)
        // { "name": " " } in tokens of their own.
        #expect(
            try tokensMin(
                #"{"properties":{"name":{"type":"string"}},"required":["name"],"#
                    + #""additionalProperties":false}"#
            ) == 5
        )
        #expect(try tokensMin(#"{"type":"string","minLength":1000}"#) == 1002)
    }

    @Test("logits of other tokens become minus infinity")
    func masks() throws {
        let answer = ConstrainedAnswer(try TestVocabulary.constraint(.pattern("[ab]")))
        var logits = [Float](repeating: 1, count: TestVocabulary.pieces.count + 70)
        logits.withUnsafeMutableBufferPointer { answer.mask($0, room: 5) }
        let left = logits.indices.filter { logits[$0] == 1 }.map { Int32($0) }
        #expect(left == answer.allowedTokens(room: 5).tokens)
        #expect(left.count >= 2)
    }
}

/// A text as a source of bytes.
private final class Bytes: ByteSource {
    private var bytes: [UInt8]?

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func next() -> [UInt8]? {
        defer { bytes = nil }
        return bytes
    }

    /// The only value of a text. Of members with the same key the last one counts, as in most
    /// readers: additional properties may have the same name.
    static func value(of text: [UInt8]) throws -> JSONValue {
        var reader = JSONReader(Bytes(text), limits: JSONReaderLimits(depthMax: 40))
        var trees = JSONTreeReader(reader, limits: JSONElementLimits())
        let value = try trees.value(from: &reader)
        #expect(try reader.next() == .end)
        return value
    }
}
