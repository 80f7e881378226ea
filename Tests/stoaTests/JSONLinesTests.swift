// JSON lines in and out, split at any byte.

import Checkpoints
import JSONText
import Testing
import Tokenizers
import stoa

@Suite("Lines of JSON")
struct JSONLinesTests {
    /// Doubles each number.
    private func double(_ value: JSONValue) throws(LineError) -> Int {
        guard let number = value.integer else { throw LineError("no number") }
        return 2 * number
    }

    private func answers(_ pieces: [[UInt8]], lineBytesMax: Int = 100) -> [JSONLines.Answer] {
        var lines = JSONLines(lineBytesMax: lineBytesMax)
        var answers: [JSONLines.Answer] = []
        for piece in pieces { answers += lines.answers(to: piece, double) }
        return answers + lines.answersToRest(double)
    }

    @Test("lines are answered in order, wherever their bytes are split")
    func cuts() {
        let input = Array("1\n\n 2 \r\n\t\n[\n3e0\n\"x\"\n-4".utf8)
        let whole = answers([input])
        #expect(whole.map(\.output) == ["2", "4", "null", "6", "null", "-8"])
        #expect(whole.map { $0.error != nil } == [false, false, true, false, true, false])
        // Blank lines count, as in an editor.
        #expect(whole[2].error?.hasPrefix("line 5: it is not JSON") == true)
        #expect(whole[4].error == "line 7: no number")
        #expect(answers(input.map { [$0] }) == whole)
        for cut in input.indices {
            #expect(answers([Array(input[..<cut]), Array(input[cut...])]) == whole)
        }
    }

    @Test("an overlong line is dropped, and the next one is answered")
    func longLines() {
        let input = Array("12345678\n123456789\n1".utf8)
        let whole = answers([input], lineBytesMax: 8)
        #expect(whole.map(\.output) == ["24691356", "null", "2"])
        #expect(answers(input.map { [$0] }, lineBytesMax: 8) == whole)
        #expect(answers([Array("123456789".utf8)], lineBytesMax: 8).map(\.output) == ["null"])
    }

    @Test("a failure is also reported at the end")
    func end() throws {
        var lines = JSONLines()
        _ = lines.answers(to: Array("1\n".utf8), double)
        try lines.end()
        _ = lines.answers(to: Array("x\n".utf8), double)
        let failure = #expect(throws: CommandFailure.self) { try lines.end() }
        #expect(failure == CommandFailure(.dataError, "1 line of 2 got no answer"))
    }

    @Test(
        "strings are decoded with all escapes, and a lone surrogate is refused",
        arguments: [
            (#""\u0041\n\"\\\/""#, "A\n\"\\/"), (#""\ud83d\udc69""#, "👩"), (#""é""#, "é"),
            (#""\ud83d""#, nil), (#""\udc69\ud83d""#, nil), (#""\ud83d\u0041""#, nil),
            (#""\x41""#, nil), ("\"\u{1}\"", nil),
        ]
    )
    func strings(line: String, text: String?) {
        #expect((try? JSONValue(parsing: Array(line.utf8)))?.string == text)
    }

    @Test(
        "ids are whole numbers from 0 to 2147483647",
        arguments: [
            ("[]", []), ("[0, 7,2147483647]", [0, 7, .max]), ("[1.0, 2e1]", [1, 20]),
            ("[2147483648]", nil), ("[-1]", nil), ("[1.5]", nil), ("[null]", nil), ("[[1]]", nil),
            ("[\"1\"]", nil), ("1", nil), ("{}", nil),
        ] as [(String, [TokenID]?)]
    )
    func tokens(line: String, tokens: [TokenID]?) throws {
        let value = try JSONValue(parsing: Array(line.utf8))
        #expect((try? value.tokens()) == tokens)
    }

    @Test(
        "conversations are parsed as scripts write them",
        arguments: [
            (#"{"messages":[{"role":"user","content":"a"}]}"#, "a", false),
            (
                #"{"messages":[{"role":"r","content":null}],"add_generation_prompt":null}"#, "",
                false
            ),
            (
                #"{"add_generation_prompt":true,"messages":[{"role":"user","x":[1]}],"n":7}"#, "",
                true
            ),
        ]
    )
    func conversations(line: String, content: String, addsPrompt: Bool) throws {
        let conversation = try RenderedConversation(JSONValue(parsing: Array(line.utf8)))
        #expect(conversation.messages.map(\.content) == [content])
        #expect(conversation.addsGenerationPrompt == addsPrompt)
    }

    @Test("tools must be text or absent")
    func tools() throws {
        let line =
            #"{"messages":[{"role":"system","content":"a","tools":"[]"},{"role":"u","tools":null}]}"#
        let conversation = try RenderedConversation(JSONValue(parsing: Array(line.utf8)))
        #expect(conversation.messages.map(\.tools) == ["[]", nil])
    }

    @Test(
        "an invalid conversation is refused, and the invalid message named",
        arguments: [
            ("[]", "messages"), ("{}", "messages"), (#"{"messages":[]}"#, "empty"),
            (#"{"messages":{"role":"user"}}"#, "messages"), (#"{"messages":["a"]}"#, "message 1"),
            (#"{"messages":[{"role":"user"},{"content":"a"}]}"#, "message 2 has no role"),
            (#"{"messages":[{"role":"user","content":["a"]}]}"#, "content is an array"),
            (#"{"messages":[{"role":"user","tools":[]}]}"#, "tools is an array"),
            (
                #"{"messages":[{"role":"user"}],"add_generation_prompt":1}"#,
                "neither true nor false"
            ),
        ]
    )
    func refusals(line: String, word: String) throws {
        let value = try JSONValue(parsing: Array(line.utf8))
        let error = #expect(throws: LineError.self) { try RenderedConversation(value) }
        #expect(error?.reason.contains(word) == true)
    }
}
