// Compares tokens with the reference's, and decodes them at once and incrementally.

import Checkpoints
import JSONText
import TestSupport
import Testing
import Tokenizers

@Suite("golden tokens")
struct GoldenTokenTests {
    @Test(
        "tokens of texts are the reference's",
        arguments: [
            (TestModel.demo, "demo-tokens.jsonl"), (.small, "small-tokens.jsonl"),
            (.tiktoken, "tiktoken-tokens.jsonl"),
        ]
    )
    func own(model: TestModel, file: String) throws {
        try check(model, GoldenFile.own(file))
    }

    @Test(
        "tokens of texts are the reference's with a real model's tokenizer",
        .enabled(if: TestModel.hasShared, "needs ../shared with the models' tokenizers"),
        arguments: TestModel.shared
    )
    func shared(model: TestModel) throws {
        // The two Phi-3 tokenizers are equal, and only one folder has golden files.
        let owner = model == .phi3Mini ? TestModel.phi35Mini : model
        try check(model, GoldenFile.lines("\(owner.folder)/golden_tokens.jsonl"))
    }

    @Test(
        "ill-formed runs of bytes decode as the reference decodes them",
        arguments: [(TestModel.demo, "demo-decodes.jsonl"), (.small, "small-decodes.jsonl")]
    )
    func decodes(model: TestModel, file: String) throws {
        for line in try GoldenFile.own(file) {
            try checkDecoding(try model.tokenizer(), line)
        }
    }

    private func check(_ model: TestModel, _ lines: [JSONValue]) throws {
        let tokenizer = try model.tokenizer()
        #expect(lines.count >= 100)
        for line in lines {
            let text = try #require(line["text"]?.string)
            #expect(tokenizer.encode(text, specialTokens: .parse) == line["ids"]?.tokens, "\(line)")
            try checkDecoding(tokenizer, line)
        }
    }

    private func checkDecoding(_ tokenizer: Tokenizer, _ line: JSONValue) throws {
        let ids = try #require(line["ids"]).tokens
        for (keepSpecial, key) in [(true, "decoded"), (false, "decoded_skip_special")] {
            let golden = try #require(line[key]?.string)
            expectSameBytes(tokenizer.decode(ids, keepSpecial: keepSpecial), golden)
            var decoder = StreamingDecoder(tokenizer, keepSpecial: keepSpecial)
            let pieces = ids.map { decoder.append($0) } + [decoder.finish()]
            expectSameBytes(pieces.joined(), golden)
            if !golden.unicodeScalars.contains("\u{FFFD}") {
                #expect(!pieces.joined().unicodeScalars.contains("\u{FFFD}"))
            }
        }
    }
}

@Suite("words")
struct WordPatternTests {
    @Test("texts are split into words as by the regular expressions")
    func golden() throws {
        for line in try GoldenFile.own("words.jsonl") {
            let name = try #require(line["pattern"]?.string)
            let pattern = try #require(WordPattern(rawValue: name))
            let text = try #require(line["text"]?.string)
            let words = try #require(line["words"]?.array).compactMap(\.string)
            let found = pattern.words(of: text).map { Array($0.utf8) }
            #expect(found == words.map { Array($0.utf8) }, "\(line)")
        }
    }

    @Test("no text is lost between words", arguments: WordPattern.allCases)
    func complete(pattern: WordPattern) {
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<300 {
            let text = HostileText.random(&generator)
            #expect(Array(pattern.words(of: text).joined().utf8) == Array(text.utf8))
        }
    }
}
