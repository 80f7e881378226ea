import Glibc
import PhiKernels
import Synchronization
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

    @Test("each thread begins with a share of its own")
    func shares() throws {
        let team = try #require(phi_team_create(3))
        defer { phi_team_destroy(team) }
        for _ in 0..<100 {
            // No part ends before each thread has one.
            let log = PartLog { log, part, thread in
                log.begin(part, on: thread)
                log.waitForParts(3)
            }
            log.share(team, partCount: 3)
            #expect(log.threads == [0: 0, 1: 1, 2: 2])
        }
    }

    @Test("others take the parts of a thread that is held up", arguments: [2, 3, 30, 1000])
    func heldUp(partCount: Int) throws {
        let team = try #require(phi_team_create(3))
        defer { phi_team_destroy(team) }
        // The first part of the first share ends after all others have begun.
        let log = PartLog { log, part, thread in
            log.begin(part, on: thread)
            if part == 0 { log.waitForParts(partCount) }
        }
        log.share(team, partCount: partCount)
        #expect(log.threads.count == partCount)
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

/// Which thread has begun each part of a piece of work.
private final class PartLog: Sendable {
    typealias Work = @Sendable (PartLog, _ part: Int, _ thread: Int) -> Void

    private let begun = Mutex<[Int: Int]>([:])
    private let work: Work

    init(_ work: @escaping Work) { self.work = work }

    /// The threads of parts.
    var threads: [Int: Int] { begun.withLock(\.self) }

    func begin(_ part: Int, on thread: Int) { begun.withLock { $0[part] = thread } }

    func waitForParts(_ count: Int) {
        while threads.count < count { sched_yield() }
    }

    func share(_ team: OpaquePointer, partCount: Int) {
        withExtendedLifetime(self) {
            phi_team_share(
                team,
                { log, part, thread in
                    guard let log else { return }
                    let this = Unmanaged<PartLog>.fromOpaque(log).takeUnretainedValue()
                    this.work(this, part, thread)
                },
                Unmanaged.passUnretained(self).toOpaque(),
                partCount
            )
        }
    }
}
