import Checkpoints
import TestSupport
import Testing
import Tokenizers

@Suite("Tokenizers of GGUF files")
struct GGUFTokenizerTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Phi-3's kind: pieces with scores, and bytes.
    private static let llama: GGUFBuilder = {
        var rows: [(String, Int32, Float)] = [("<unk>", 2, 0), ("<s>", 3, 0), ("</s>", 3, 0)]
        for byte in UInt8.min ... .max {
            let digits = String(byte, radix: 16, uppercase: true)
            rows.append(("<0x\(digits.count < 2 ? "0" : "")\(digits)>", 6, 0))
        }
        let pieces = ["ab", "bc", "▁a", "abc", "▁", "a", "b", "c", "<", "|"]
        for (rank, piece) in pieces.enumerated() { rows.append((piece, 1, -Float(rank))) }
        rows += [("<|user|>", 3, 0), ("<|end|>", 3, 0), ("<|note|>", 4, 0), ("[PAD9]", 5, 0)]
        var file = GGUFBuilder.model
        file["tokenizer.ggml.model"] = .string("llama")
        file["tokenizer.ggml.tokens"] = .strings(rows.map(\.0))
        file["tokenizer.ggml.token_type"] = .int32s(rows.map(\.1))
        file["tokenizer.ggml.scores"] = .float32s(rows.map(\.2))
        return file
    }()

    private func tokenizer(
        _ change: (inout GGUFBuilder) -> Void = { _ in }
    ) throws -> Tokenizer {
        var file = Self.llama
        change(&file)
        return try Tokenizer.load(folder: folder.write("model.gguf", file.bytes))
    }

    private func texts(_ tokenizer: Tokenizer, _ text: String) -> [String] {
        tokenizer.encode(text, specialTokens: .parse).map { tokenizer.name(of: $0) ?? "?" }
    }

    @Test("pairs with the highest score are merged first, the leftmost of equal ones")
    func merges() throws {
        let tokenizer = try tokenizer()
        // "ab" has the highest score, then "bc", then "▁a".
        #expect(texts(tokenizer, "abc") == ["▁", "abc"])
        #expect(texts(tokenizer, "a bc") == ["▁a", "▁", "bc"])
        #expect(texts(tokenizer, "aab") == ["▁a", "ab"])
        #expect(texts(tokenizer, "é") == ["▁", "<0xC3>", "<0xA9>"])
        let long = tokenizer.encode(String(repeating: "ab", count: 99), specialTokens: .asText)
        #expect(long == [263, 259] + [TokenID](repeating: 259, count: 98))
        #expect(tokenizer.decode(long, keepSpecial: false).count == 198)
    }

    @Test("special tokens are found, and take the white space after them, as Phi-3's do")
    func special() throws {
        let tokenizer = try tokenizer()
        #expect(texts(tokenizer, "<|user|>\na<|end|>") == ["<|user|>", "▁a", "<|end|>"])
        #expect(texts(tokenizer, "<s> a")[0] == "<s>")
        let user = try #require(tokenizer.token("<|user|>"))
        let note = try #require(tokenizer.token("<|note|>"))
        #expect(tokenizer.isSpecial(user))
        #expect(!tokenizer.isSpecial(note))
        #expect(tokenizer.addedTokens.contains(note))
        #expect(
            tokenizer.encode("<|end|>", specialTokens: .asText).allSatisfy {
                !tokenizer.addedTokens.contains($0)
            }
        )
        #expect(!tokenizer.hasToken(272))
        #expect(tokenizer.hasToken(271))
    }

    @Test("without add_space_prefix, no space is added or removed")
    func noPrefix() throws {
        let tokenizer = try tokenizer { $0["tokenizer.ggml.add_space_prefix"] = .bool(false) }
        #expect(texts(tokenizer, "abc") == ["abc"])
        #expect(!tokenizer.dropsLeadingSpace)
        let ids = tokenizer.encode(" a", specialTokens: .asText)
        #expect(tokenizer.decode(ids, keepSpecial: false) == " a")
    }

    @Test("the template is the file's; without one it is that of the family")
    func template() throws {
        var file = Self.llama
        file["tokenizer.chat_template"] = .string(
            "{% for message in messages %}{{ bos_token + message['content'] }}{% endfor %}"
        )
        file["tokenizer.ggml.bos_token_id"] = .uint32(1)
        let path = try folder.write("model.gguf", file.bytes)
        let tokenizer = try Tokenizer.load(folder: path)
        let template = try ChatTemplate.load(folder: path, tokenizer: tokenizer)
        let chat = [ChatMessage(role: "user", content: "a")]
        let ids = template.encode(chat, addGenerationPrompt: true).tokens
        #expect(ids.map { tokenizer.name(of: $0) } == ["<s>", "▁a"])
    }

    @Test(
        "what is missing, invalid or not supported is named",
        arguments: [
            ("tokenizer.ggml.model", nil),
            ("tokenizer.ggml.model", .string("bert")),
            ("tokenizer.ggml.model", .string("gpt2")),
            ("tokenizer.ggml.token_type", nil),
            ("tokenizer.ggml.token_type", .int32s([1, 2])),
            ("tokenizer.ggml.scores", nil),
            ("tokenizer.ggml.scores", .float32s([1])),
            ("tokenizer.ggml.tokens", .int32s([1])),
        ] as [(String, GGUFBuilder.Value?)]
    )
    func invalid(key: String, value: GGUFBuilder.Value?) throws {
        let text = try #require(
            #expect(throws: TokenizerError.self) { try tokenizer { $0[key] = value } }
        ).description
        #expect(text.contains("tokenizer.ggml"), "\(text)")
        #expect(text.contains("model.gguf"))
    }

    @Test("two tokens with one text are refused")
    func duplicates() throws {
        #expect(throws: TokenizerError.self) {
            try tokenizer { file in
                guard case .strings(var texts) = file["tokenizer.ggml.tokens"] else { return }
                texts[260] = texts[259]
                file["tokenizer.ggml.tokens"] = .strings(texts)
            }
        }
    }
}
