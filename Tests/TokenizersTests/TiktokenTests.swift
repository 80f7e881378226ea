// tiktoken's vocabulary files, as Phi-3-small's folders have them.

import Checkpoints
import FoundationEssentials
import JSONText
import TestSupport
import Testing
import Tokenizers

@Suite("tiktoken's files")
struct TiktokenTests {
    /// The small vocabulary's text.
    private func smallFile() throws -> String {
        let path = "\(TestModel.tiktoken.folder)/\(Tokenizer.tiktokenFileName)"
        return String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
    }

    private func load(_ file: String) throws -> Tokenizer {
        let folder = try TemporaryFolder()
        try folder.write(Tokenizer.tiktokenFileName, Array(file.utf8))
        return try Tokenizer.load(folder: folder.path)
    }

    @Test("special tokens are those of the authors' program")
    func specialTokens() throws {
        let tokenizer = try TestModel.tiktoken.tokenizer()
        let known: [(String, TokenID)] = [
            ("<|endoftext|>", 100_257), ("<|system|>", 100_261), ("<|user|>", 100_262),
            ("<|assistant|>", 100_263), ("<|end|>", 100_266), ("<|endofprompt|>", 100_276),
            ("<|dummy_id_2|>", 100_256), ("<|dummy_id_11|>", 100_275), ("<|dummy_id_86|>", 100_351),
        ]
        for (name, id) in known {
            #expect(tokenizer.token(name) == id)
            #expect(tokenizer.name(of: id) == name)
            #expect(tokenizer.isSpecial(id))
            #expect(tokenizer.encode(name, specialTokens: .parse) == [id])
            #expect(!tokenizer.encode(name, specialTokens: .asText).contains(id))
        }
        #expect(tokenizer.addedTokens.count == 96)
    }

    @Test("the authors' template is written with them")
    func template() throws {
        let tokenizer = try TestModel.tiktoken.tokenizer()
        let tokens = try TestModel.tiktoken.template().encode(
            [ChatMessage(role: "user", content: "Hello <|end|>")],
            addGenerationPrompt: true
        ).tokens
        #expect(
            tokenizer.decode(tokens, keepSpecial: true)
                == "<|endoftext|><|user|>\nHello <|end|><|end|>\n<|assistant|>\n"
        )
        // That of the user's text is none.
        #expect(tokens.count { $0 == 100_266 } == 1)
        #expect(tokens.first == 100_257)
    }

    @Test("empty lines are skipped, and the order of lines does not matter")
    func order() throws {
        let lines = try smallFile().split(separator: "\n")
        let tokenizer = try load(lines.reversed().joined(separator: "\n\n"))
        let text = "Hello, how are you? 123 \u{1F642}"
        let expected = try TestModel.tiktoken.tokenizer().encode(text, specialTokens: .asText)
        #expect(tokenizer.encode(text, specialTokens: .asText) == expected)
    }

    /// A text in the small vocabulary, its replacement, and what the error names.
    private static let changes: [(old: String, new: String, name: String)] = [
        ("IQ== ", "IQ= ", "line 34"), ("IQ== ", "IQ", "line 34"), ("IQ== ", "I*== ", "line 34"),
        ("IQ== ", "==== ", "line 34"), (" 33\n", " \n", "line 34"), (" 33\n", " 3x\n", "line 34"),
        (" 33\n", " -33\n", "line 34"), (" 33\n", " 100256\n", "line 34"),
        (" 33\n", " 99999999999999999999999999\n", "line 34"),
        (" 33\n", " 32\n", "the rank of another"),
        ("IQ== 33\n", "", "no \"!\""), ("IQ== ", "IA== ", "no text of its own"),
        ("IQ== 33\n", "IQ== 33\nISEhISEh 900\n", "does not make token 900"),
    ]

    @Test("damaged files are refused, and the error says where", arguments: changes)
    func refusals(old: String, new: String, name: String) throws {
        let file = try smallFile()
        try #require(file.contains(old))
        let changed = file.replacing(old, with: new, maxReplacements: 1)
        let error = #expect(throws: TokenizerError.self) { try load(changed) }
        let description = try #require(error).description
        #expect(description.contains(name), "\(description)")
        #expect(description.contains(Tokenizer.tiktokenFileName))
    }

    @Test("a token longer than any real one is refused, and so is a file larger than any")
    func limits() throws {
        let long = String(repeating: "QUFB", count: 86)
        let error = #expect(throws: TokenizerError.self) { try load("\(long) 1\n") }
        #expect(error?.description.contains("line 1") == true)
        let large = String(repeating: "\n", count: 9 << 20)
        #expect(throws: TokenizerError.self) { try load(large) }
    }

    @Test("the folder of another model is refused by name, and tokenizer.json has precedence")
    func otherFolders() throws {
        let folder = try TemporaryFolder()
        try folder.write(Tokenizer.tiktokenFileName, Array(try smallFile().utf8))
        let config = Array(#"{"tokenizer_class": "HYTokenizer"}"#.utf8)
        try folder.write("tokenizer_config.json", config)
        let error = #expect(throws: TokenizerError.self) {
            try Tokenizer.load(folder: folder.path)
        }
        #expect(error?.description.contains("HYTokenizer") == true)
        let small = try Data(contentsOf: URL(filePath: "\(TestModel.small.folder)/tokenizer.json"))
        try folder.write("tokenizer.json", Array(small))
        let tokenizer = try Tokenizer.load(folder: folder.path)
        #expect(tokenizer.token("<s>") != nil)
    }

    @Test("without either file, tokenizer.json is missing")
    func missing() throws {
        let folder = try TemporaryFolder()
        let error = #expect(throws: TokenizerError.self) {
            try Tokenizer.load(folder: folder.path)
        }
        #expect(error?.description.contains("tokenizer.json") == true)
    }

    @Test(
        "cl100k in this format is phi-4's tokenizer.json",
        .enabled(if: TestModel.hasShared, "needs ../shared with the models' tokenizers")
    )
    func cl100k() throws {
        let phi4 = try TestModel.phi4.tokenizer()
        var file = ""
        for id in 0..<TokenID(100_256) {
            file += "\(Data(phi4.bytes(of: id)).base64EncodedString()) \(id)\n"
        }
        let tokenizer = try load(file)
        var generator = SeededGenerator(seed: 53)
        for _ in 0..<400 {
            let text = HostileText.random(&generator)
            #expect(
                tokenizer.encode(text, specialTokens: .asText)
                    == phi4.encode(text, specialTokens: .asText),
                "\(text)"
            )
        }
    }
}
