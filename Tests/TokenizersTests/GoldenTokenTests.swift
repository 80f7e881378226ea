// Token by token what the reference gives, and back.

import Checkpoints
import TestSupport
import Testing
import Tokenizers

@Suite("golden tokens")
struct GoldenTokenTests {
    @Test("the demo model's tokens are the reference's")
    func demo() throws {
        let path = "\(SharedFiles.packageRoot)/Tests/TokenizersTests/Golden/demo-tokens.jsonl"
        try check(.demo, path)
    }

    @Test(
        "a real model's tokens are the reference's",
        .enabled(if: TestModel.hasShared, "needs ../shared with the models' tokenizers"),
        arguments: TestModel.shared
    )
    func shared(model: TestModel) throws {
        // The two Phi-3 tokenizers are the same, and only one folder has goldens.
        let owner = model == .phi3Mini ? TestModel.phi35Mini : model
        try check(model, "\(owner.folder)/golden_tokens.jsonl")
    }

    private func check(_ model: TestModel, _ path: String) throws {
        let tokenizer = try model.tokenizer()
        let lines = try GoldenFile.lines(path)
        #expect(lines.count >= 100)
        for line in lines {
            let text = try #require(line["text"]?.string)
            let ids = try #require(line["ids"]).tokens
            #expect(tokenizer.encode(text, specialTokens: .parse) == ids, "\(line)")
            try expectSameBytes(
                tokenizer.decode(ids, keepSpecial: true),
                line["decoded"]?.string,
                line
            )
            try expectSameBytes(
                tokenizer.decode(ids, keepSpecial: false),
                line["decoded_skip_special"]?.string,
                line
            )
        }
    }

    /// Swift's `==` would take canonically equivalent texts for equal.
    private func expectSameBytes(_ text: String, _ golden: String?, _ line: JSONValue) throws {
        let golden = try #require(golden)
        #expect(Array(text.utf8) == Array(golden.utf8), "\(line)")
    }
}
