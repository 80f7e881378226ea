import Checkpoints
import Inference
import Testing

@Suite("Prompt lookup")
struct PromptLookupTests {
    /// The draft after `tokens`, read in pieces of `size`.
    private func guess(
        after tokens: [TokenID],
        count: Int,
        piece size: Int = 1,
        tokensMax: Int = 1000
    ) -> [TokenID] {
        var lookup = PromptLookup(tokensMax: tokensMax)
        for end in stride(from: 0, to: tokens.count, by: size) {
            lookup.read(Array(tokens[..<end]))
        }
        lookup.read(tokens)
        return lookup.continuation(of: tokens, count: count)
    }

    @Test(
        "the continuation of an earlier occurrence of the last three tokens is drafted",
        arguments: [1, 2, 5, 100]
    )
    func continuation(size: Int) {
        let tokens: [TokenID] = [1, 2, 3, 4, 5, 6, 7, 1, 2, 3]
        #expect(guess(after: tokens, count: 3, piece: size) == [4, 5, 6])
        #expect(guess(after: tokens, count: 0, piece: size) == [])
    }

    @Test("the latest of several occurrences is used")
    func latest() {
        let tokens: [TokenID] = [1, 2, 3, 4, 1, 2, 3, 5, 6, 1, 2, 3]
        #expect(guess(after: tokens, count: 2) == [5, 6])
    }

    @Test("nothing is drafted without an earlier occurrence")
    func nothing() {
        #expect(guess(after: [], count: 4) == [])
        #expect(guess(after: [1, 2, 3], count: 4) == [])
        #expect(guess(after: [9, 2, 3, 4, 1, 2, 3], count: 4) == [])
        #expect(guess(after: [1, 2, 3, 4, 2, 1, 3], count: 4) == [])
    }

    @Test("a draft that reaches the end continues with itself")
    func loop() {
        #expect(guess(after: [1, 2, 3, 1, 2, 3], count: 7) == [1, 2, 3, 1, 2, 3, 1])
        #expect(guess(after: [7, 7, 7, 7], count: 3) == [7, 7, 7])
    }

    @Test("drafts do not depend on how the tokens were read")
    func restarts() {
        var lookup = PromptLookup(tokensMax: 100)
        var tokens: [TokenID] = [1, 2, 3, 4, 5]
        lookup.read(tokens)
        #expect(lookup.continuation(of: tokens, count: 2) == [])
        tokens += [1, 2, 3]
        lookup.read(tokens)
        #expect(lookup.continuation(of: tokens, count: 2) == [4, 5])
        lookup.read(tokens)
        #expect(lookup.continuation(of: tokens, count: 2) == [4, 5])
        tokens += [9]
        lookup.read(tokens)
        #expect(lookup.continuation(of: tokens, count: 2) == [])
    }

    @Test("with a small table drafts are lost, but never wrong")
    func collisions() {
        var generator = SplitMix64(seed: 41)
        let tokens = (0..<4000).map { _ in TokenID(generator.next() % 12) }
        // A table of 256 entries, for 1,728 different threes.
        var lookup = PromptLookup(tokensMax: 1)
        var guessCount = 0
        for end in 3...tokens.count {
            let read = Array(tokens[..<end])
            lookup.read(read)
            guard let first = lookup.continuation(of: read, count: 1).first else { continue }
            guessCount += 1
            let last = tokens[(end - 3)..<end]
            let isThere = (3..<end).contains { earlier in
                tokens[earlier] == first
                    && tokens[(earlier - 3)..<earlier].elementsEqual(last)
            }
            #expect(isThere)
        }
        #expect(guessCount > 100)
    }
}
