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
        // Often, since what can go wrong between threads goes wrong seldom.
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
