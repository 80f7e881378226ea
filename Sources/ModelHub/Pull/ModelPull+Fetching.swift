// Pulls for callers without an event loop.

import EventLoop

extension ModelPull {
    /// Fetches `target` at `revision` on an event loop thread of its own.
    ///
    /// - Parameters:
    ///   - target: the model, or one GGUF file of it.
    ///   - revision: a branch, a tag or a commit.
    ///   - configuration: where the hub and the cache are.
    ///   - progress: called on that thread, at most about ten times a second.
    /// - Returns: the snapshot's folder, or the file in it.
    /// - Throws: `HubError`; `cancelled` if the calling task is cancelled.
    public static func fetch(
        _ target: PullTarget,
        revision: String = "main",
        configuration: HubConfiguration,
        progress: @escaping @Sendable (PullProgress) -> Void = { _ in }
    ) async throws -> String {
        let thread = try EventLoop.launch(name: "hub") { _ in }
        defer { thread.join() }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation {
                (ended: CheckedContinuation<Result<String, HubError>, Never>) in
                let isTaken = thread.remote.execute { loop in
                    loop.spawn {
                        let result = await attempt(target, revision, configuration, loop, progress)
                        loop.stop()
                        ended.resume(returning: result)
                    }
                }
                // A cancelled task may have stopped the loop before it ran this.
                if !isTaken { ended.resume(returning: .failure(HubError.cancelled)) }
            }
        } onCancel: {
            thread.remote.stop()
        }
        return try result.get()
    }

    private static func attempt(
        _ target: PullTarget,
        _ revision: String,
        _ configuration: HubConfiguration,
        _ loop: EventLoop,
        _ progress: @escaping (PullProgress) -> Void
    ) async -> Result<String, HubError> {
        do throws(HubError) {
            let pull = try ModelPull(loop: loop, configuration: configuration, progress: progress)
            return .success(try await pull.run(target, revision: revision))
        } catch {
            return .failure(error)
        }
    }
}
