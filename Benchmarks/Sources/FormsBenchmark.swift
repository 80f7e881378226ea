// Answers with a form: how long a schema takes to compile, and what its tokens cost at each step. Needs a
// tokenizer, no weights.

import ArgumentParser
import ConstrainedText
import Glibc
import Tokenizers

struct FormsBenchmark: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forms",
        abstract: "Measure JSON schemas: compiling, and masks of tokens at each step."
    )

    @Option(help: "A folder with tokenizer.json.") var tokenizer: String
    @Option(help: "Fields of the schema.") var fields = 100
    @Option(help: "Rows of the logits.") var rows = 200_064
    @Option(help: "Runs of each part.") var runs = 20

    func run() throws {
        let tokenizer = try Tokenizer.load(folder: tokenizer)
        let clock = ContinuousClock()
        var trie: TokenTrie?
        let building = clock.measure {
            trie = TokenTrie(tokenLimit: rows) {
                tokenizer.isSpecial($0) ? [] : tokenizer.bytes(of: $0)
            }
        }
        guard let trie else { return }
        report("forms_vocabulary_ms", building.inSeconds * 1000)
        let schema = AnswerConstraint.jsonSchema(FormsSchema.text(fields: fields))
        var compiling = Sample()
        for _ in 0..<runs {
            let time = try clock.measure { _ = try compile(schema, trie) }
            compiling.add(time.inSeconds * 1000)
        }
        report("forms_compile_\(fields)_fields_ms", compiling.median)
        report("forms_compile_\(fields)_fields_max_ms", compiling.percentile(1))
        let document = tokenizer.encode(
            FormsSchema.document(fields: fields),
            specialTokens: .asText
        )
        try measure("document", try compile(schema, trie)) { step, _ in
            step < document.count ? document[step] : nil
        }
        var generator = SplitMix(state: 1)
        let uniform = { (step: Int, logits: [Float]) -> Int32? in
            guard step < 500 else { return nil }
            let allowed = logits.indices.filter { logits[$0] == 0 }
            return allowed.randomElement(using: &generator).map(Int32.init)
        }
        try measure("random", try compile(schema, trie), next: uniform)
        try measure("any_object", try compile(.jsonObject, trie), next: uniform)
    }

    private func compile(
        _ constraint: AnswerConstraint,
        _ trie: TokenTrie
    ) throws -> TokenConstraint {
        try TokenConstraint(CompiledConstraint(constraint), trie: trie, stopTokens: [])
    }

    /// Follows answers, and measures what a step adds to sampling: masking the logits, and reading
    /// the token.
    private func measure(
        _ name: String,
        _ constraint: TokenConstraint,
        next: (Int, [Float]) -> Int32?
    ) throws {
        var (first, steps) = (Sample(), Sample())
        let clock = ProcessorClock()
        for _ in 0..<max(1, runs / 4) {
            let answer = ConstrainedAnswer(constraint)
            var step = 0
            while true {
                var logits = [Float](repeating: 0, count: rows)
                var time = clock.measure {
                    logits.withUnsafeMutableBufferPointer { answer.mask($0, room: 100_000) }
                }
                guard let token = next(step, logits) else { break }
                guard logits[Int(token)] == 0 else {
                    throw ValidationError("a token of the document is not allowed at \(step)")
                }
                time += clock.measure { answer.advance(token) }
                if step == 0 {
                    first.add(time.inSeconds * 1000)
                } else {
                    steps.add(time.inSeconds * 1000)
                }
                step += 1
            }
        }
        report("forms_\(name)_first_step_ms", first.median)
        report("forms_\(name)_step_ms", steps.median)
        report("forms_\(name)_step_p99_ms", steps.percentile(0.99))
        report("forms_\(name)_step_max_ms", steps.percentile(1))
    }
}

/// The processor time of this thread: what other programs do does not count.
private struct ProcessorClock {
    func measure(_ body: () -> Void) -> Duration {
        let start = now
        body()
        return now - start
    }

    private var now: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}

/// A schema with fields of all kinds, and a value.
enum FormsSchema {
    private static let kinds: [(schema: String, value: String)] = [
        (#"{"type":"string"}"#, #""Some words, é and 漢字.""#),
        (#"{"type":"integer"}"#, "1234"),
        (#"{"type":"number","minimum":0,"maximum":1}"#, "0.25"),
        (#"{"type":"boolean"}"#, "true"),
        (#"{"type":"string","maxLength":200}"#, #""A text of limited length.""#),
        (#"{"type":"array","items":{"type":"string"}}"#, #"["one", "two", "three"]"#),
        (#"{"enum":["red","green","blue"]}"#, #""green""#),
        (#"{"anyOf":[{"type":"string"},{"type":"null"}]}"#, "null"),
        (#"{"type":"string","format":"date-time"}"#, #""2024-02-29T12:00:00Z""#),
        (
            #"{"type":"object","properties":{"x":{"type":"number"}},"required":["x"],"#
                + #""additionalProperties":false}"#, #"{"x": 1.5}"#
        ),
    ]

    static func text(fields: Int) -> String {
        let members = (0..<fields).map { "\"field_\($0)\":\(kinds[$0 % kinds.count].schema)" }
        let names = (0..<fields).map { "\"field_\($0)\"" }
        return "{\"type\":\"object\",\"properties\":{\(members.joined(separator: ","))},"
            + "\"required\":[\(names.joined(separator: ","))],\"additionalProperties\":false}"
    }

    static func document(fields: Int) -> String {
        let members = (0..<fields).map { "\"field_\($0)\": \(kinds[$0 % kinds.count].value)" }
        return "{\(members.joined(separator: ", "))}"
    }
}

/// Reproducible random numbers.
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
