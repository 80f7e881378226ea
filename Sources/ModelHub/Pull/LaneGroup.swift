// Several tasks of one loop that do one thing together.

import EventLoop

/// Tasks that end together: when one fails, the others are cancelled.
final class LaneGroup {
    private let ended: LoopPromise<Void, HubError>
    private var lanes: [LoopTask] = []
    private var runningCount: Int
    private var failure: HubError?

    private init(_ loop: EventLoop, count: Int) {
        ended = LoopPromise(loop)
        runningCount = count
    }

    /// Runs `count` tasks of `body` and returns when all have ended.
    /// - Throws: what the first that failed threw.
    static func run(
        _ count: Int,
        on loop: EventLoop,
        _ body: @escaping () async throws(HubError) -> Void
    ) async throws(HubError) {
        let group = LaneGroup(loop, count: count)
        for _ in 0..<count {
            let lane = loop.spawn {
                do throws(HubError) {
                    try await body()
                    group.laneEnded(nil)
                } catch {
                    group.laneEnded(error)
                }
            }
            group.lanes.append(lane)
        }
        try await group.ended.value { group.fail(.cancelled) }
    }

    private func laneEnded(_ error: HubError?) {
        if let error { fail(error) }
        runningCount -= 1
        guard runningCount == 0 else { return }
        if let failure { ended.fail(failure) } else { ended.succeed(()) }
    }

    private func fail(_ error: HubError) {
        guard failure == nil else { return }
        failure = error
        for lane in lanes { lane.cancel() }
    }
}
