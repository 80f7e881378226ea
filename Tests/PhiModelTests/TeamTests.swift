import PhiKernels
import TestSupport
import Testing

@Suite("teams of threads")
struct TeamTests {
    @Test("a product is the same with any number of threads", arguments: [1, 2, 3, 5])
    func products(threadCount: Int) throws {
        let team = try #require(phi_team_create(threadCount))
        defer { phi_team_destroy(team) }
        #expect(phi_team_thread_count(team) == threadCount)

        var random = SeededGenerator(seed: 7)
        let matrix = RandomMatrix(
            bits: 4,
            groupSize: 64,
            scaleType: PHI_FLOAT16,
            biasType: PHI_FLOAT16,
            rows: 1001,
            columns: 256,
            &random
        )
        let input = random.floats(5 * 256)
        let kernels = try #require(phi_kernels_best())
        let expected = matrix.product(input, kernels.pointee)
        // Often, since races between threads are rare.
        for _ in 0..<500 {
            #expect(matrix.product(input, kernels, team) == expected)
        }
    }

    @Test("a team that has never worked ends")
    func idle() throws {
        for _ in 0..<50 {
            let team = try #require(phi_team_create(4))
            phi_team_destroy(team)
        }
    }
}

@Suite("sharing of parts")
struct SharedPartsTests {
    /// How often each part was executed, counted by the executing thread.
    private func counts(_ team: OpaquePointer, partCount: Int) -> [Int] {
        var counts = [Int](repeating: 0, count: partCount)
        counts.withUnsafeMutableBytes { counts in
            phi_team_share(
                team,
                { counts, part, _ in
                    counts?.assumingMemoryBound(to: Int.self)[part] += 1
                },
                counts.baseAddress,
                partCount
            )
        }
        return counts
    }

    @Test("each part is executed once, for any number of parts and late threads")
    func once() throws {
        // More threads than cores, so that some are always late.
        for threadCount in [1, 2, 4, 9] {
            let team = try #require(phi_team_create(threadCount))
            defer { phi_team_destroy(team) }
            for round in 0..<3000 {
                let partCount = round % 17
                #expect(counts(team, partCount: partCount) == Array(repeating: 1, count: partCount))
            }
        }
    }

    @Test("threads have distinct numbers below their count")
    func numbers() throws {
        let team = try #require(phi_team_create(3))
        defer { phi_team_destroy(team) }
        var threads = [Int](repeating: -1, count: 5000)
        threads.withUnsafeMutableBytes { threads in
            phi_team_share(
                team,
                { threads, part, thread in
                    threads?.assumingMemoryBound(to: Int.self)[part] = thread
                },
                threads.baseAddress,
                5000
            )
        }
        #expect(threads.allSatisfy { (0..<3).contains($0) })
    }
}
