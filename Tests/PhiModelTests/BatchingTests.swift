import Checkpoints
import PhiModel
import Testing

/// Tokens in 0 ..< 320, different for each `seed`.
private func tokens(_ count: Int, seed: Int) -> [TokenID] {
    (0..<count).map { TokenID(($0 * 37 + seed * 101 + $0 * $0 * 13) % 320) }
}

@Suite("passes over several sequences")
struct BatchingTests {
    @Test("a batch gives each sequence bitwise its own result", arguments: [1, 2, 3])
    func batch(threadCount: Int) throws {
        for name in Golden.modelNames {
            let model = try Golden.model(name)
            let session = model.makeSession(threadCount: threadCount)
            let alone = model.makeSession(threadCount: 1)
            let prompts = [3, 1, 17, 8, 2].enumerated().map { tokens($1, seed: $0) }
            let caches = try prompts.map { _ in try model.makeCache(capacity: 40) }
            let aloneCaches = try prompts.map { _ in try model.makeCache(capacity: 40) }
            var pending = prompts
            for _ in 0..<3 {
                let results = try session.forward(
                    zip(pending, caches).map {
                        SequenceStep(tokens: $0, cache: $1, wantsLogits: true)
                    }
                )
                for (index, result) in results.enumerated() {
                    let step = SequenceStep(
                        tokens: pending[index],
                        cache: aloneCaches[index],
                        wantsLogits: true
                    )
                    #expect(try alone.forward([step])[0] == result)
                    pending[index] = [TokenID(argmax(try #require(result)))]
                }
            }
        }
    }

    @Test("a prompt read in pieces gives the same logits as read whole", arguments: [1, 5, 16])
    func chunks(size: Int) throws {
        for name in Golden.modelNames {
            let session = try Golden.model(name).makeSession(threadCount: 2)
            let prompt = tokens(33, seed: 4)
            let whole = try session.logitsOfAllPositions(
                prompt,
                cache: session.model.makeCache(capacity: 33)
            )
            let cache = try session.model.makeCache(capacity: 33)
            var pieces: [[Float]] = []
            for start in stride(from: 0, to: prompt.count, by: size) {
                let piece = Array(prompt[start..<min(start + size, prompt.count)])
                pieces += try session.logitsOfAllPositions(piece, cache: cache)
            }
            #expect(pieces == whole)
        }
    }

    @Test("logits that were not requested are not returned")
    func unwanted() throws {
        let session = try Golden.model("tiny-phi3-4bit").makeSession(threadCount: 1)
        let steps = try [true, false, true].map { wanted in
            SequenceStep(
                tokens: [1, 2],
                cache: try session.model.makeCache(capacity: 4),
                wantsLogits: wanted
            )
        }
        let results = try session.forward(steps)
        #expect(results.map { $0?.count } == [320, nil, 320])
        #expect(results[0] == results[2])
        #expect(steps.map(\.cache.count) == [2, 2, 2])
        #expect(try session.forward([]).isEmpty)
    }

    @Test("the logits after each of a step's last tokens equal those of single steps")
    func lastTokens() throws {
        for name in Golden.modelNames {
            let session = try Golden.model(name).makeSession(threadCount: 2)
            let texts = [tokens(9, seed: 5), tokens(4, seed: 6), tokens(6, seed: 7)]
            let counts = [3, 0, 6]
            let steps = try zip(texts, counts).map { text, count in
                SequenceStep(
                    tokens: text,
                    cache: try session.model.makeCache(capacity: 20),
                    logitsCount: count
                )
            }
            let logits = try session.compute(steps)
            let together = counts.enumerated().map { step, count in
                (0..<count).map { Array(logits.row($0, of: step)) }
            }
            for (index, text) in texts.enumerated() {
                let cache = try session.model.makeCache(capacity: 20)
                let alone: [[Float]] = try text.map { token in
                    let step = SequenceStep(tokens: [token], cache: cache, wantsLogits: true)
                    return try #require(session.forward([step])[0])
                }
                #expect(together[index] == Array(alone.suffix(counts[index])))
            }
        }
    }

    @Test("a truncated cache continues as without the removed tokens")
    func truncation() throws {
        let session = try Golden.model("tiny-phi4mini-4bit").makeSession(threadCount: 1)
        let prompt = tokens(9, seed: 1)
        let cache = try session.model.makeCache(capacity: 20)
        let first = try session.logitsOfAllPositions(prompt, cache: cache)
        cache.truncate(to: 4)
        let again = try session.logitsOfAllPositions(Array(prompt[4...]), cache: cache)
        #expect(again == Array(first[4...]))
    }

    @Test("an invalid batch is refused, and changes nothing")
    func refusals() throws {
        let session = try Golden.model("tiny-phi3-4bit")
            .makeSession(threadCount: 1, tokenCountMax: 8)
        let cache = try session.model.makeCache(capacity: 16)
        func error(_ tokens: [TokenID]) -> ForwardError? {
            do throws(ForwardError) {
                let step = SequenceStep(tokens: tokens, cache: cache, wantsLogits: true)
                _ = try session.forward([step])
                return nil
            } catch {
                return error
            }
        }
        #expect(error([1, 320]) == .tokenOutOfRange(320, vocabularyCount: 320))
        #expect(error([-1]) == .tokenOutOfRange(-1, vocabularyCount: 320))
        #expect(error(tokens(9, seed: 0)) == .batchTooLarge(count: 9, limit: 8))
        #expect(error(tokens(17, seed: 0)) == .cacheFull(capacity: 16, needed: 17))
        #expect(cache.count == 0)
        #expect(error(tokens(8, seed: 0)) == nil)
        #expect(cache.count == 8)
    }

    @Test("a cache beyond all memory is refused")
    func hugeCache() throws {
        let model = try Golden.model("tiny-phi3-4bit")
        #expect(throws: ForwardError.self) { try model.makeCache(capacity: 1 << 40) }
    }
}
