// Pulls that are killed with SIGKILL at any point: each leaves a cache from which the next resumes.

import EventLoop
import FoundationEssentials
import Glibc
import ModelHub
import TestSupport
import Testing

@Suite("Killing a pull", .timeLimit(.minutes(5)))
struct KillTests {
    /// The number of kills; STOA_HUB_SEED sets the seed of their points.
    static let count = variable("STOA_HUB_KILLS") ?? 100
    static let seed = UInt64(variable("STOA_HUB_SEED") ?? 7)

    private static func variable(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    @Test("a pull that is killed at any point resumes, and fetches no verified bytes again")
    func kills() async throws {
        try Requirement.childProcess.check()
        let output = try TemporaryFolder()
        try await EventLoop.run { loop in
            var generator = SeededGenerator(seed: Self.seed)
            let pool = try WorkerPool(name: "wait", threads: 1, queueLimit: 1)
            var kills = 0
            var rounds = 0
            while kills < Self.count {
                let hub = try HubDouble(loop)
                defer { hub.close() }
                hub.repository.files = Self.files(seed: UInt64(rounds))
                let cache = try TemporaryFolder()
                let round = KillRound(hub: hub, cacheFolder: cache.path, loop: loop, pool: pool)
                let outputPath = "\(output.path)/\(rounds)"
                kills += try await round.run(
                    killsMax: min(5, Self.count - kills),
                    &generator,
                    outputPath: outputPath
                )
                rounds += 1
            }
        }
    }

    @Test("a pull that the user interrupts says how to resume, and does")
    func interrupted() async throws {
        try Requirement.childProcess.check()
        let output = try TemporaryFolder()
        let cache = try TemporaryFolder()
        try await EventLoop.run { loop in
            let pool = try WorkerPool(name: "wait", threads: 1, queueLimit: 1)
            let hub = try HubDouble(loop)
            defer { hub.close() }
            hub.repository.files = Self.files(seed: 1)
            func pull(_ outputPath: String, interruptedAfter bytes: Int) async throws -> (
                end: ChildProcess.End, said: String
            ) {
                let child = try ChildProcess.pull(
                    from: hub,
                    into: cache.path,
                    outputPath: outputPath
                )
                hub.onServe = { _, _ in
                    if hub.servedByteCount > bytes { child.send(SIGINT) }
                }
                let end = try await child.end(pool)
                let said = FileManager.default.contents(atPath: outputPath) ?? Data()
                return (end, String(decoding: said, as: UTF8.self))
            }
            let first = try await pull("\(output.path)/1", interruptedAfter: 1_000_000)
            #expect(first.end == .exited(130))
            #expect(first.said.hasSuffix("the next pull resumes\n"))
            let second = try await pull("\(output.path)/2", interruptedAfter: .max)
            #expect(second.end == .exited(0), "\(second.said)")
            #expect(second.said.hasSuffix("/snapshots/\(HubDouble.commit)\n"))
        }
    }

    /// Files of one piece and of several, small enough for a pull within a second.
    private static func files(seed: UInt64) -> [String: [UInt8]] {
        [
            "config.json": RepositoryDouble.weights(1500, seed: seed),
            "tokenizer.json": RepositoryDouble.weights(150_000, seed: seed + 100),
            "model-00001-of-00002.safetensors":
                RepositoryDouble.weights(3_300_000, seed: seed + 200),
            "model-00002-of-00002.safetensors":
                RepositoryDouble.weights(1_200_000, seed: seed + 300),
        ]
    }
}

/// Pulls one model until it is complete, and kills pulls on the way. Used on its event loop.
private struct KillRound {
    /// When a pull is killed, relative to its start.
    enum Point {
        case bytes(Int)
        case requests(Int)
        /// After all bytes were served: while files are verified and renamed.
        case afterwards(Duration)
    }

    let hub: HubDouble
    let cacheFolder: String
    let loop: EventLoop
    let pool: WorkerPool

    private var modelFolder: String { "\(cacheFolder)/models--org--name" }

    /// - Returns: how many pulls were killed.
    func run(
        killsMax: Int,
        _ generator: inout SeededGenerator,
        outputPath: String
    ) async throws -> Int {
        let total = hub.repository.files.values.reduce(0) { $0 + $1.count }
        var kills = 0
        while true {
            let verified = VerifiedBytes(hub.repository, in: modelFolder)
            let missing = total - verified.count
            let point = kills < killsMax ? Self.point(missing, &generator) : nil
            hub.forgetRequests()
            hub.onServe = { file, range in
                #expect(!verified.overlaps(file, range), "\(file) \(range)")
            }
            let child = try ChildProcess.pull(
                from: hub,
                into: cacheFolder,
                outputPath: outputPath
            )
            arm(child, at: point, missing)
            let end = try await child.end(pool)
            hub.onServe = { _, _ in }
            hub.onRequest = {}
            if end == .signalled(SIGKILL) {
                kills += 1
                continue
            }
            let said = FileManager.default.contents(atPath: outputPath) ?? Data()
            try #require(end == .exited(0), "\(String(decoding: said, as: UTF8.self))")
            try check()
            return kills
        }
    }

    private static func point(_ missing: Int, _ generator: inout SeededGenerator) -> Point {
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: .requests(Int.random(in: 1...12, using: &generator))
        case 1: .afterwards(.microseconds(Int.random(in: 0..<6000, using: &generator)))
        default: .bytes(Int.random(in: 0...missing, using: &generator))
        }
    }

    /// Kills the child at `point`.
    private func arm(_ child: ChildProcess, at point: Point?, _ missing: Int) {
        let (hub, loop) = (hub, loop)
        let watch = hub.onServe
        switch point {
        case nil: break
        case .requests(let count):
            hub.onRequest = {
                if hub.hubRequests.count + hub.storageRequests.count >= count {
                    child.send(SIGKILL)
                }
            }
        case .bytes(let count):
            hub.onServe = { file, range in
                watch(file, range)
                if hub.servedByteCount >= count { child.send(SIGKILL) }
            }
        case .afterwards(let delay):
            hub.onServe = { file, range in
                watch(file, range)
                guard hub.servedByteCount >= missing else { return }
                loop.schedule(after: delay) { child.send(SIGKILL) }
            }
        }
    }

    /// Expects all files to be complete, and no temporary files.
    private func check() throws {
        let cache = ModelCache(folder: cacheFolder)
        let name = try ModelName("org/name")
        let folder = try #require(cache.snapshot(of: name))
        for (name, content) in hub.repository.files {
            #expect(FileManager.default.contents(atPath: "\(folder)/\(name)") == Data(content))
        }
        #expect(try cache.verify(name).allSatisfy { $0.state == .whole })
        let blobs = try FileManager.default.contentsOfDirectory(atPath: "\(modelFolder)/blobs")
        #expect(blobs.count == hub.repository.files.count, "\(blobs.sorted())")
    }
}
