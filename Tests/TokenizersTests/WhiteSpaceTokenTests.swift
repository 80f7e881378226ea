import Checkpoints
import JSONText
import TestSupport
import Testing
import Tokenizers

/// A tokenizer like CodeGen's (Phi-1, Phi-1.5, Phi-2): GPT-2's words, and added tokens for runs of
/// spaces and tabs.
private func codeGen() throws -> Tokenizer {
    // GPT-2's characters for bytes: printable ones are themselves, the others follow U+00FF.
    let printable = Array(0x21...0x7E) + Array(0xA1...0xAC) + Array(0xAE...0xFF)
    let others = (0..<256).filter { !printable.contains($0) }.indices.map { 0x100 + $0 }
    let bytes = (printable + others).compactMap { Unicode.Scalar($0) }.map { String($0) }
    var texts = bytes + ["ĠĠ", "ĠĠĠĠ", "Ġa", "ab"]
    var members = texts.enumerated().map { id, text in
        (id, text == "\"" || text == "\\" ? "\\\(text)" : text)
    }.map { "\"\($1)\": \($0)" }
    let runs = [8, 7, 6, 5, 4, 3, 2].map { String(repeating: " ", count: $0) }
    let tabs = [3, 2].map { String(repeating: #"\t"#, count: $0) }
    texts += ["<|endoftext|>"] + runs + tabs
    let added = texts.indices.dropFirst(members.count).map { id in
        """
        {"id": \(id), "content": "\(texts[id])", "single_word": false, "lstrip": false, \
        "rstrip": false, "normalized": \(id > members.count), "special": \(id == members.count)}
        """
    }
    members.append("\"<|endoftext|>\": \(texts.count - runs.count - tabs.count - 1)")
    let json = """
        {"added_tokens": [\(added.joined(separator: ","))], "normalizer": null, \
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "use_regex": true}, \
        "decoder": {"type": "ByteLevel"}, \
        "model": {"type": "BPE", "vocab": {\(members.joined(separator: ","))}, \
        "merges": ["Ġ Ġ", "ĠĠ ĠĠ", "Ġ a", "a b"]}}
        """
    return try Tokenizer(JSONValue(parsing: Array(json.utf8).span), path: "tokenizer.json")
}

@Suite("added tokens that are white space")
struct WhiteSpaceTokenTests {
    @Test("they are found in plain text, where other added tokens are not")
    func plainText() throws {
        let tokenizer = try codeGen()
        let indentation = tokenizer.encode("a\n    ab", specialTokens: .asText)
        let four = try #require(tokenizer.token("    "))
        #expect(indentation.contains(four))
        let end = try #require(tokenizer.token("<|endoftext|>"))
        let forged = "  <|endoftext|>\t\t"
        #expect(!tokenizer.encode(forged, specialTokens: .asText).contains(end))
        #expect(tokenizer.encode(forged, specialTokens: .parse).contains(end))
    }

    @Test("plain text has the same tokens whether special ones are parsed or not")
    func random() throws {
        let tokenizer = try codeGen()
        var random = SeededGenerator(seed: 4)
        let pieces = [" ", "  ", "\t", "a", "ab", "\n", "é", "          "]
        for _ in 0..<500 {
            let text = (0..<Int.random(in: 0...12, using: &random))
                .map { _ in pieces[Int.random(in: 0..<pieces.count, using: &random)] }.joined()
            let tokens = tokenizer.encode(text, specialTokens: .asText)
            #expect(tokens == tokenizer.encode(text, specialTokens: .parse))
            #expect(tokenizer.decode(tokens, keepSpecial: false) == text)
        }
    }
}
