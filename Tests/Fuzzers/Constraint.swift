// Forms of answers: any schema and any pattern is compiled or refused, in bounded work, and every walk
// through allowed tokens ends with a text that has the form.

import ConstrainedText
import JSONText

private let vocabulary: [[UInt8]] =
    [[]] + (0...255).map { [UInt8($0)] }
    + ["{\"", "\":", "\",\"", "\"}", "[[", "]]", "true", "aa", "aaa", "12", "\\u00", "é", "漢"].map {
        Array($0.utf8)
    } + [[0xE6, 0xBC], [0xBC, 0xA2], [0x22, 0xC3]]

private let trie = TokenTrie(tokenLimit: vocabulary.count) { vocabulary[Int($0)] }

/// Reads one byte that chooses the form and seeds the walk, then a schema or a pattern. Called by
/// libFuzzer for each input.
@c(LLVMFuzzerTestOneInput)
public func holdForm(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(FuzzerInput(start, count).raw)
    guard let first = bytes.first else { return 0 }
    let source = text(Array(bytes.dropFirst()))
    let isSchema = first & 1 == 0
    do throws(ConstraintError) {
        let compiled = try CompiledConstraint(isSchema ? .jsonSchema(source) : .pattern(source))
        let constraint = try TokenConstraint(compiled, trie: trie, stopTokens: [0])
        // Longer answers take longer than a fuzzer has.
        guard constraint.tokensMin <= 60 else { return 0 }
        let answer = walk(constraint, room: max(1, constraint.tokensMin) + Int(first >> 3), first)
        precondition(TextMatcher(compiled).matches(answer), "a text without its form")
        guard isSchema, let value = try? JSONValue(parsing: answer) else { return 0 }
        let validator = try SchemaValidator(source)
        precondition(validator.isValid(value), "an invalid value")
    } catch {
        precondition(!error.reason.isEmpty, "an error without a reason")
    }
    return 0
}

/// Draws allowed tokens.
private func walk(_ constraint: TokenConstraint, room: Int, _ seed: UInt8) -> [UInt8] {
    let answer = ConstrainedAnswer(constraint)
    var state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15
    var text: [UInt8] = []
    for count in 0..<room {
        let allowed = answer.allowedTokens(room: room - count).tokens
        precondition(!allowed.isEmpty, "no token is allowed")
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        let token = allowed[Int((state >> 33) % UInt64(allowed.count))]
        if token == 0 { break }
        precondition(answer.advance(token), "an allowed token is refused")
        text += vocabulary[Int(token)]
    }
    precondition(answer.isComplete, "an answer ends without its form")
    return text
}
