// Loading of tokenizer.json: refusals by name, and damaged files.

import Checkpoints
import FoundationEssentials
import JSONText
import TestSupport
import Testing
import Tokenizers

@Suite("loading a tokenizer")
struct TokenizerLoadingTests {
    private func smallFile() throws -> String {
        let data = try Data(contentsOf: URL(filePath: "\(TestModel.small.folder)/tokenizer.json"))
        return String(decoding: data, as: UTF8.self)
    }

    /// The small tokenizer's file with the first `old` replaced by `new`.
    private func smallFile(_ old: String, _ new: String) throws -> String {
        let file = try smallFile()
        try #require(file.contains(old))
        return file.replacing(old, with: new, maxReplacements: 1)
    }

    private func load(_ text: String) throws -> Tokenizer {
        try Tokenizer(JSONValue(parsing: Array(text.utf8)), path: "tokenizer.json")
    }

    /// A text in the small tokenizer's file, its replacement, and what the error names.
    private static let changes: [(old: String, new: String, name: String)] = [
        (#""type": "Prepend""#, #""type": "NFKC""#, "NFKC"),
        (#""pre_tokenizer": null"#, #""pre_tokenizer": {"type": "Whitespace"}"#, "Whitespace"),
        (#""type": "Fuse""#, #""type": "WordPiece""#, "WordPiece"),
        (#""type": "BPE""#, #""type": "Unigram""#, "Unigram"),
        (#""end_of_word_suffix": null"#, #""end_of_word_suffix": "</w>""#, "end_of_word_suffix"),
        (#""dropout": null"#, #""dropout": 0.1"#, "dropout"),
        (#""byte_fallback": true"#, #""byte_fallback": false"#, "without bytes"),
        (#""single_word": false"#, #""single_word": true"#, "single_word"),
        (#""normalized": false"#, #""normalized": true"#, "normalized"),
        (#""<0x0A>": 13"#, #""<0xxx>": 13"#, "<0x0A>"),
        (#""<0x0A>": 13"#, #""<0x0A>": 14"#, "no own id"),
        (#""<0x0A>": 13"#, #""<0x0A>": -1"#, "not in range"),
        (#""<0x0A>": 13"#, #""<0x0A>": 99999999"#, "not in range"),
        (#""l l""#, #""l q""#, "merge 3"),
        (#""l l""#, #""l l l""#, "merge 3"),
        (#""l l""#, #"["l"]"#, "merge 3"),
        (#""content": "<s>""#, #""content": "ll""#, "two ids"),
        (#""id": 1,"#, #""id": 0,"#, "same id"),
        (#""dropout": null"#, #""ignore_merges": true"#, "ignore_merges"),
    ]

    @Test("unsupported or invalid settings are refused by name", arguments: changes)
    func refusals(old: String, new: String, name: String) throws {
        let changed = try smallFile(old, new)
        let error = #expect(throws: TokenizerError.self) { try load(changed) }
        let description = try #require(error).description
        #expect(description.contains(name), "\(description)")
    }

    @Test("without a normalizer, tokens of normalized text are like others")
    func normalizedToken() throws {
        let file = "\(TestModel.demo.folder)/tokenizer.json"
        let text = String(decoding: try MappedFile(path: file).contents, as: UTF8.self)
        try #require(text.contains(#""normalized": false"#))
        let tokenizer = try load(
            text.replacing(#""normalized": false"#, with: #""normalized": true"#)
        )
        let tokens = try TestModel.demo.tokenizer().encode("a<|end|>\nb", specialTokens: .parse)
        #expect(tokenizer.encode("a<|end|>\nb", specialTokens: .parse) == tokens)
    }

    @Test("an unknown word pattern is refused with its text")
    func unknownPattern() throws {
        let pattern = #"\\w+|\\s+"#
        let splitter = """
            {"type": "Sequence", "pretokenizers": [{"type": "Split", "pattern": \
            {"Regex": "\(pattern)"}, "behavior": "Isolated", "invert": false}, \
            {"type": "ByteLevel", "add_prefix_space": false, "use_regex": false}]}
            """
        let changed = try smallFile(
            #""pre_tokenizer": null"#,
            #""pre_tokenizer": \#(splitter)"#
        )
        let error = #expect(throws: TokenizerError.self) { try load(changed) }
        #expect(try #require(error).description.contains(#"\w+|\s+"#))
    }

    @Test("a file in which text could become an added token is refused")
    func reachableAddedToken() throws {
        let tokenizer = try TestModel.small.tokenizer()
        let merged = try #require(tokenizer.token("hello"))
        let added = """
            "added_tokens": [{"id": \(merged), "content": "hello", "special": true}],
            "was": [
            """
        let changed = try smallFile(#""added_tokens": ["#, added)
        let error = #expect(throws: TokenizerError.self) { try load(changed) }
        #expect(try #require(error).description.contains("out of plain text"))
    }

    @Test("a missing file is named")
    func missing() throws {
        let folder = try TemporaryFolder()
        let error = #expect(throws: TokenizerError.self) {
            try Tokenizer.load(folder: folder.path)
        }
        #expect(try #require(error).description.contains("tokenizer.json"))
    }

    @Test("a damaged file is refused or loaded, and never crashes")
    func fuzz() throws {
        var generator = SeededGenerator(seed: 23)
        let file = try Array(smallFile().utf8)
        for _ in 0..<400 {
            let damaged = generator.mutate(file)
            guard let json = try? JSONValue(parsing: damaged),
                let tokenizer = try? Tokenizer(json, path: "-")
            else { continue }
            let tokens = tokenizer.encode("hello <|user|> the é日 abc", specialTokens: .parse)
            _ = tokenizer.decode(tokens + [-1, .max], keepSpecial: true)
        }
    }

    @Test("merges written as pairs equal those written as texts")
    func mergesAsPairs() throws {
        var file = try smallFile()
        let start = try #require(file.firstRange(of: #""merges": ["#)).upperBound
        let merges = file[start...].replacing(/"([^" ]+) ([^" ]+)"/) { match in
            #"["\#(match.1)", "\#(match.2)"]"#
        }
        file.replaceSubrange(start..., with: merges)
        #expect(file.contains(#"["h", "e"]"#))
        let tokenizer = try load(file)
        for line in try GoldenFile.own("small-tokens.jsonl") {
            let text = try #require(line["text"]?.string)
            #expect(tokenizer.encode(text, specialTokens: .parse) == line["ids"]?.tokens)
        }
    }
}

@Suite("token lookup")
struct TokenLookupTests {
    @Test("tokens are found by their text")
    func lookup() throws {
        let tokenizer = try TestModel.demo.tokenizer()
        let end = try #require(tokenizer.token("<|end|>"))
        #expect(end == 4095)
        #expect(tokenizer.isSpecial(end))
        #expect(tokenizer.token("no such token") == nil)
        #expect(tokenizer.vocabularyCount == 4096)
    }

    @Test("unknown ids decode to nothing")
    func unknownNumbers() throws {
        for model in TestModel.available {
            let tokenizer = try model.tokenizer()
            #expect(tokenizer.decode([-1, 300_000, .max, .min], keepSpecial: true) == "")
            #expect(!tokenizer.isSpecial(-1))
        }
    }

    @Test("a long text without spaces is merged in order")
    func longWord() throws {
        let tokenizer = try TestModel.small.tokenizer()
        let count = 20_000
        let tokens = tokenizer.encode(
            String(repeating: "abc", count: count),
            specialTokens: .parse
        )
        // "▁a" comes before "ab", so the first three letters stay apart.
        let token = try #require(tokenizer.token("abc"))
        #expect(tokens.filter { $0 == token }.count == count - 1)
    }
}
