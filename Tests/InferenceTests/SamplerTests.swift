import Checkpoints
import Glibc
import Inference
import Testing

@Suite("Sampler")
struct SamplerTests {
    /// Draws `count` tokens, each from the same logits.
    private func draw(
        _ count: Int,
        from logits: [Float],
        _ parameters: SamplingParameters,
        samplable: SamplableTokens? = nil,
        recent: [TokenID] = []
    ) -> [TokenID?] {
        var sampler = Sampler(
            parameters,
            samplable: samplable ?? SamplableTokens(count: logits.count)
        )
        return (0..<count).map { _ in sampler.sample(logits, recent: recent[...]) }
    }

    private func one(
        _ logits: [Float],
        _ parameters: SamplingParameters = .greedy,
        samplable: SamplableTokens? = nil,
        recent: [TokenID] = []
    ) -> TokenID? {
        draw(1, from: logits, parameters, samplable: samplable, recent: recent)[0]
    }

    /// Logits whose softmax is `shares`.
    private func logits(_ shares: [Double]) -> [Float] { shares.map { Float(log($0)) } }

    /// Samples and compares with `expected` shares by Pearson's chi-squared test. The bound is far
    /// above the 0.999 quantile for up to seven degrees of freedom (24.3), and the seed is fixed:
    /// it fails only for wrong shares.
    private func expectShares(
        _ expected: [Double],
        from logits: [Float],
        _ parameters: SamplingParameters,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let count = 20_000
        var seen = [Int](repeating: 0, count: expected.count)
        for token in draw(count, from: logits, parameters) { seen[Int(token ?? 0)] += 1 }
        var chiSquare = 0.0
        for (id, share) in expected.enumerated() {
            guard share > 0 else {
                #expect(seen[id] == 0, "token \(id) was dropped", sourceLocation: sourceLocation)
                continue
            }
            let difference = Double(seen[id]) - share * Double(count)
            chiSquare += difference * difference / (share * Double(count))
        }
        #expect(chiSquare < 30, "\(seen)", sourceLocation: sourceLocation)
    }

    // MARK: - Greedy

    @Test("greedy takes the greatest logit, and the lowest id among equals")
    func greedy() {
        #expect(one([1, 3, 2]) == 1)
        #expect(one([1, 3, 2, 3]) == 1)
        #expect(one([0, 0, 0]) == 0)
        #expect(one([-5, -1, -3]) == 1)
    }

    @Test("top-k of one is greedy at any temperature")
    func topOne() throws {
        let parameters = try SamplingParameters(temperature: 2, topK: 1, seed: 1)
        #expect(draw(50, from: [1, 1.1, 1], parameters).allSatisfy { $0 == 1 })
    }

    @Test("rows without a finite number are never selected")
    func notANumber() throws {
        #expect(one([.nan, 1, .infinity, 2, -.infinity]) == 3)
        #expect(one([.nan, .nan]) == nil)
        #expect(one([-.infinity, .infinity]) == nil)
        #expect(one([]) == nil)
        for topK in [0, 4] {
            let parameters = try SamplingParameters(temperature: 2, topK: topK, seed: 1)
            let drawn = draw(500, from: [.nan, 1, .infinity, 2, -.infinity], parameters)
            #expect(Set(drawn) == [1, 3])
        }
    }

    // MARK: - Rows without a token

    @Test("rows without a token are never sampled, however likely")
    func masked() throws {
        let logits: [Float] = [0, 9, 0, 9, 9]
        let even = SamplableTokens(vocabularyCount: 5) { $0 % 2 == 0 && $0 < 4 }
        #expect(even.ranges == [0..<1, 2..<3])
        #expect(one(logits, samplable: even) == 0)
        for topK in [0, 2, 5] {
            for topP in [0.5, 1] {
                let parameters = try SamplingParameters(
                    temperature: 1,
                    topP: topP,
                    topK: topK,
                    seed: 3
                )
                let drawn = draw(300, from: logits, parameters, samplable: even)
                #expect(drawn.allSatisfy { $0 == 0 || $0 == 2 })
            }
        }
    }

    @Test("samplable ids are stored as ranges")
    func ranges() {
        #expect(SamplableTokens(count: 3).ranges == [0..<3])
        #expect(SamplableTokens(count: 0).ranges.isEmpty)
        #expect(SamplableTokens(vocabularyCount: 6) { $0 != 2 }.ranges == [0..<2, 3..<6])
        #expect(SamplableTokens(vocabularyCount: 3) { _ in false }.ranges.isEmpty)
    }

    // MARK: - Shares

    @Test("temperature one samples the model's own distribution")
    func temperatureOne() throws {
        let shares = [0.5, 0.25, 0.15, 0.1]
        expectShares(shares, from: logits(shares), try SamplingParameters(temperature: 1, seed: 11))
    }

    @Test("temperature one half squares the shares")
    func temperatureHalf() throws {
        let squares = [0.25, 0.0625, 0.0225, 0.01]
        let sum = squares.reduce(0, +)
        expectShares(
            squares.map { $0 / sum },
            from: logits([0.5, 0.25, 0.15, 0.1]),
            try SamplingParameters(temperature: 0.5, seed: 12)
        )
    }

    @Test("top-k keeps the k likeliest, the lowest ids among equals")
    func topK() throws {
        expectShares(
            [0, 0.625, 0.375, 0],
            from: logits([0.1, 0.5, 0.3, 0.1]),
            try SamplingParameters(temperature: 1, topK: 2, seed: 13)
        )
        expectShares(
            [0.25, 0.5, 0.25, 0],
            from: logits([0.2, 0.4, 0.2, 0.2]),
            try SamplingParameters(temperature: 1, topK: 3, seed: 14)
        )
        expectShares(
            [0.5, 0.5],
            from: [0, 0],
            try SamplingParameters(temperature: 1, topK: 99, seed: 15)
        )
    }

    @Test("top-p keeps the shortest likeliest part that reaches the share")
    func topP() throws {
        let parameters = try SamplingParameters(temperature: 1, topP: 0.7, seed: 16)
        expectShares([0, 0.625, 0.375, 0], from: logits([0.1, 0.5, 0.3, 0.1]), parameters)
        expectShares(
            [1, 0],
            from: logits([0.6, 0.4]),
            try SamplingParameters(temperature: 1, topP: 0, seed: 17)
        )
    }

    @Test("top-p counts shares among what top-k left")
    func topKThenTopP() throws {
        // Of 0.4, 0.3, 0.2 (sum 0.9) the first two have 0.78, so that 0.75 stops there; among all
        // four they have 0.7 and it would not.
        expectShares(
            [0.4 / 0.7, 0.3 / 0.7, 0, 0],
            from: logits([0.4, 0.3, 0.2, 0.1]),
            try SamplingParameters(temperature: 1, topP: 0.75, topK: 3, seed: 18)
        )
    }

    @Test("min-p drops what is less likely than its share of the likeliest")
    func minP() throws {
        let shares = [0.5, 0.26, 0.14, 0.1]
        let expected = [0.5 / 0.76, 0.26 / 0.76, 0, 0]
        for topP in [1, 0.99] {
            expectShares(
                expected,
                from: logits(shares),
                try SamplingParameters(temperature: 1, topP: topP, minP: 0.5, seed: 19)
            )
        }
        expectShares(
            [1, 0, 0, 0],
            from: logits(shares),
            try SamplingParameters(temperature: 1, minP: 1, seed: 20)
        )
    }

    @Test("the selections agree with a full sort on random logits")
    func agreesWithSort() throws {
        var generator = SplitMix64(seed: 21)
        for _ in 0..<40 {
            let logits = (0..<257).map { _ in Float(generator.nextUnit() * 12) }
            let topP = 0.05 + 0.9 * generator.nextUnit()
            let topK = Int(generator.next() % 40)
            let parameters = try SamplingParameters(
                temperature: 1.3,
                topP: topP,
                topK: topK,
                seed: generator.next()
            )
            let kept = keptBySort(logits, temperature: 1.3, topP: topP, topK: topK)
            let drawn = draw(200, from: logits, parameters)
            #expect(drawn.allSatisfy { $0.map(kept.contains) ?? false })
        }
    }

    @Test("top-p on thousands of rows agrees with a full sort, for sharp and flat distributions")
    func nucleusOfMany() throws {
        var generator = SplitMix64(seed: 22)
        for spread in [0.5, 3, 30] {
            let logits = (0..<5000).map { _ in Float(generator.nextUnit() * spread) }
            for topP in [0.01, 0.3, 0.9, 0.999] {
                let parameters = try SamplingParameters(temperature: 1, topP: topP, seed: 23)
                let kept = keptBySort(logits, temperature: 1, topP: topP, topK: 0)
                let drawn = Set(draw(200, from: logits, parameters))
                #expect(drawn.allSatisfy { $0.map(kept.contains) ?? false })
                // All kept tokens are sampled, if there are few enough.
                if kept.count < 20 { #expect(drawn.count > kept.count / 2) }
            }
        }
    }

    @Test("sampling agrees with the definition, token by token")
    func plainDraws() throws {
        var numbers = SplitMix64(seed: 24)
        let logits = (0..<3000).map { _ in Float(numbers.nextUnit() * 8) }
        let top = try #require(logits.max())
        let weights = logits.map { expf($0 - top) }
        for (topP, topK) in [(0.95, 0), (0.5, 0), (1.0, 50), (0.8, 200)] {
            let parameters = try SamplingParameters(
                temperature: 1,
                topP: topP,
                topK: topK,
                seed: 25
            )
            var order = logits.indices.sorted {
                weights[$0] != weights[$1] ? weights[$0] > weights[$1] : $0 < $1
            }
            if topK > 0 { order = Array(order.prefix(topK)) }
            let total = order.reduce(0) { $0 + Double(weights[$1]) }
            var kept: [Int] = []
            var sum = 0.0
            while kept.count < order.count, sum < topP * total {
                kept.append(order[kept.count])
                sum += Double(weights[order[kept.count - 1]])
            }
            var generator = SplitMix64(seed: 25)
            var expected: [TokenID?] = []
            for _ in 0..<500 {
                var rest = generator.nextUnit() * sum
                var drawn = kept[0]
                for id in kept {
                    rest -= Double(weights[id])
                    drawn = id
                    if rest < 0 { break }
                }
                expected.append(TokenID(drawn))
            }
            #expect(draw(500, from: logits, parameters) == expected)
        }
    }

    /// The definition.
    private func keptBySort(
        _ logits: [Float],
        temperature: Float,
        topP: Double,
        topK: Int
    ) -> Set<TokenID> {
        var order = logits.indices.sorted {
            logits[$0] != logits[$1] ? logits[$0] > logits[$1] : $0 < $1
        }
        if topK > 0 { order = Array(order.prefix(topK)) }
        let weights = order.map { exp(Double(logits[$0] / temperature)) }
        let total = weights.reduce(0, +)
        var sum = 0.0
        var kept: Set<TokenID> = []
        for (id, weight) in zip(order, weights) {
            kept.insert(TokenID(id))
            sum += weight
            // Single precision in the sampler may take one token more at a tie with the bound.
            if sum >= topP * total * (1 + 1e-5) { break }
        }
        return kept
    }

    // MARK: - Repetition

    @Test("the penalty makes recent tokens less likely, once each")
    func penalty() throws {
        let parameters = try SamplingParameters(repetitionPenalty: 2)
        #expect(one([3, 2, 1], parameters, recent: [0]) == 1)
        #expect(one([3, 1.4, 1], parameters, recent: [0, 0, 0]) == 0)
        #expect(one([-1, -1.5, -9], parameters, recent: [0]) == 1)
        #expect(one([3, 2, 1], parameters, recent: [99, -1]) == 0)
    }

    @Test("the penalty only affects tokens in its window")
    func penaltyWindow() throws {
        let parameters = try SamplingParameters(repetitionPenalty: 2, repetitionWindow: 2)
        #expect(one([3, 2, 1], parameters, recent: [0, 2, 2]) == 0)
        #expect(one([3, 2, 1], parameters, recent: [2, 0, 2]) == 1)
    }

    // MARK: - Seeds

    @Test("a seed gives the same tokens again, and another seed does not")
    func seeds() throws {
        let flat = [Float](repeating: 0, count: 1000)
        func draws(_ seed: UInt64?) throws -> [TokenID?] {
            draw(20, from: flat, try SamplingParameters(temperature: 1, seed: seed))
        }
        #expect(try draws(1) == draws(1))
        #expect(try draws(1) != draws(2))
        #expect(try draws(nil) != draws(nil))
    }
}
