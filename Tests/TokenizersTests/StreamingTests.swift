// Incremental decoding: whole characters, and no part of a stop string.

import Checkpoints
import TestSupport
import Testing
import Tokenizers

@Suite("streaming")
struct StreamingTests {
    @Test("a character is returned with its last byte")
    func wholeCharacters() throws {
        let tokenizer = try TestModel.demo.tokenizer()
        let tokens = tokenizer.encode("a🙂b", specialTokens: .asText)
        var decoder = StreamingDecoder(tokenizer)
        let pieces = tokens.map { decoder.append($0) }
        #expect(tokens.count > 4, "the demo model spells the emoji out in bytes")
        #expect(pieces.joined() == "a🙂b")
        #expect(pieces.filter { !$0.isEmpty }.count == 3)
        #expect(decoder.finish() == "")
    }

    @Test("an answer that ends within a character ends with U+FFFD")
    func truncated() throws {
        let tokenizer = try TestModel.demo.tokenizer()
        let tokens = tokenizer.encode("🙂", specialTokens: .asText).dropLast()
        var decoder = StreamingDecoder(tokenizer)
        #expect(tokens.map { decoder.append($0) }.joined() == "")
        #expect(decoder.finish() == "\u{FFFD}")
    }

    @Test("one leading space is dropped, once")
    func leadingSpace() throws {
        let tokenizer = try TestModel.small.tokenizer()
        let space = try #require(tokenizer.token("▁"))
        let word = try #require(tokenizer.token("▁hello"))
        var decoder = StreamingDecoder(tokenizer)
        #expect(
            [space, space, word, word].map { decoder.append($0) } == ["", " ", " hello", " hello"]
        )
    }

    @Test("special tokens are not text, unless requested")
    func special() throws {
        let tokenizer = try TestModel.demo.tokenizer()
        let tokens = tokenizer.encode("a<|end|>b", specialTokens: .parse)
        #expect(tokenizer.decode(tokens, keepSpecial: false) == "ab")
        #expect(tokenizer.decode(tokens, keepSpecial: true) == "a<|end|>b")
    }

    @Test("random tokens give the same text at once and one by one", arguments: TestModel.available)
    func sameAsWhole(model: TestModel) throws {
        let tokenizer = try model.tokenizer()
        var generator = SeededGenerator(seed: 29)
        let limit = TokenID(tokenizer.vocabularyCount + 10)
        for _ in 0..<200 {
            let tokens = (0..<Int.random(in: 0...30, using: &generator)).map { _ in
                TokenID.random(in: 0..<limit, using: &generator)
            }
            var decoder = StreamingDecoder(tokenizer, keepSpecial: true)
            let pieces = tokens.map { decoder.append($0) } + [decoder.finish()]
            expectSameBytes(pieces.joined(), tokenizer.decode(tokens, keepSpecial: true))
        }
    }
}

@Suite("stop strings")
struct StopStringTests {
    /// Stop strings, a text, the shown part of it, and the stop string that ends it.
    private static let cases: [(stops: [String], text: String, shown: String, hit: String?)] = [
        ([], "abc", "abc", nil),
        ([""], "abc", "abc", nil),
        (["b"], "abc", "a", "b"),
        (["bd"], "abc", "abc", nil),
        (["cd"], "abc", "abc", nil),
        (["abc", "b"], "xabc", "xa", "b"),
        (["c", "abc"], "xabc", "x", "abc"),
        (["aab"], "aaab", "a", "aab"),
        (["abab", "abac"], "ababac", "", "abab"),
        (["abac"], "ababac", "ab", "abac"),
        (["\n\n"], "a\nb\n\nc", "a\nb", "\n\n"),
        (["é"], "caf\u{65}\u{301} é", "caf\u{65}\u{301} ", "é"),
        (["🙂!"], "🙂🙂🙂!x", "🙂🙂", "🙂!"),
    ]

    @Test("text before a stop string is shown, the stop string is not", arguments: cases)
    func cuts(stops: [String], text: String, shown: String, hit: String?) {
        var whole = StopStringMatcher(stops)
        let output = whole.append(text)
        expectSameBytes(output.text + whole.finish(), shown)
        #expect(output.hit == hit)

        // The same text, character by character.
        var matcher = StopStringMatcher(stops)
        var pieces = ""
        var hits: [String] = []
        for scalar in text.unicodeScalars {
            let output = matcher.append(String(Character(scalar)))
            pieces += output.text
            if let hit = output.hit { hits.append(hit) }
        }
        expectSameBytes(pieces + matcher.finish(), shown)
        #expect(hits == (hit.map { [$0] } ?? []))
    }

    @Test("how the text is cut into pieces changes nothing", arguments: 0..<60)
    func anyCuts(seed: UInt64) {
        var random = SplitMix64Like(state: seed)
        func text(_ count: ClosedRange<Int>) -> String {
            // Few characters, so that beginnings of stop strings come often.
            let alphabet = ["a", "b", "\n", "é", "🙂"]
            return (0..<Int.random(in: count, using: &random)).map { _ in
                alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
            }.joined()
        }
        let stops = (0..<Int.random(in: 1...4, using: &random)).map { _ in text(1...4) }
        let said = text(0...40)
        // The plain definition: what ends first, of those the longest.
        let bytes = Array(said.utf8)
        var expected = bytes
        var found: String?
        search: for end in 0...bytes.count {
            let hits = stops.filter { bytes[..<end].suffix($0.utf8.count).elementsEqual($0.utf8) }
            if let hit = hits.max(by: { $0.utf8.count < $1.utf8.count }) {
                expected = Array(bytes[..<(end - hit.utf8.count)])
                found = hit
                break search
            }
        }
        var matcher = StopStringMatcher(stops)
        var shown = ""
        var rest = Substring(said)
        var hit: String?
        while !rest.isEmpty, hit == nil {
            let piece = rest.prefix(Int.random(in: 1...5, using: &random))
            rest.removeFirst(piece.count)
            let output = matcher.append(String(piece))
            shown += output.text
            hit = output.hit
            // What was shown is never taken back.
            #expect(Array(expected).starts(with: shown.utf8))
        }
        if hit == nil { shown += matcher.finish() }
        #expect(Array(shown.utf8) == expected)
        #expect(hit == found)
    }

    @Test("only a possible start of a stop string is held back")
    func holdsBack() {
        var matcher = StopStringMatcher(["stop", "end."])
        #expect(matcher.append("go on s").text == "go on ")
        #expect(matcher.append("tep").text == "step")
        #expect(matcher.append(" en").text == " ")
        #expect(matcher.finish() == "en")
    }

    @Test("the result does not depend on how the text is split")
    func anyCuts() {
        var generator = SeededGenerator(seed: 31)
        for _ in 0..<500 {
            let text = String((0..<20).map { _ in "ab\n".randomElement(using: &generator) ?? "a" })
            let stops = (0..<2).map { _ in
                String((0..<3).map { _ in "ab\n".randomElement(using: &generator) ?? "a" })
            }
            var whole = StopStringMatcher(stops)
            let expected = whole.append(text)
            let expectedText = expected.text + whole.finish()
            var matcher = StopStringMatcher(stops)
            var shown = ""
            var rest = text[...]
            while !rest.isEmpty {
                let count = Int.random(in: 1...5, using: &generator)
                shown += matcher.append(String(rest.prefix(count))).text
                rest = rest.dropFirst(count)
            }
            #expect(shown + matcher.finish() == expectedText)
        }
    }
}

/// A generator whose seed repeats a test.
private struct SplitMix64Like: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
