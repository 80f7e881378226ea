// How an answer begins: its prompt is rebuilt from the database and handed to an engine.

import ChatCore
import ChatProtocol
import ChatStore
import EventLoop
import Inference
import Logging
import Postgres

extension RunDispatcher {
    /// Takes a claimed answer to an engine, or to its end where it cannot begin.
    func begin(_ claim: ClaimedRun, with pool: EnginePool) async {
        defer { stopsBeforeStart.remove(claim.message) }
        do {
            guard let start = try await store.begin(claim, node: configuration.node) else {
                claims.remove(claim.message)
                return
            }
            if start.attempts > configuration.attemptsMax {
                logger.error(
                    "an answer failed too often",
                    metadata: ["message": "\(claim.message)"]
                )
                throw WireError(.engineFailed, "this answer failed repeatedly; ask differently")
            }
            let input = try await store.input(of: claim, messageLimit: pool.messageLimit)
            if pool.board.isWaiting(for: input.model) {
                // Its conversation was given that model after the claim.
                try await store.releaseLeases(node: configuration.node, of: claim.message)
                claims.remove(claim.message)
                return
            }
            let model = try pool.engine(for: input.model)
            let prompt = try await prompt(of: input, for: model)
            // The lease was lost, or given back, while the prompt was built.
            guard claims.contains(claim.message), !isReleasing else { return }
            if stopsBeforeStart.contains(claim.message) {
                await end(claim, RunOutcome(text: "", state: .stopped, finish: .stopped))
                return
            }
            let request = try pool.submit(prompt, sampling: sampling(input.settings), to: model)
            runs[request] = ActiveRun(
                claim: claim,
                receipt: prompt.receipt,
                engine: model.engine,
                request: request
            )
            announce(claim)
        } catch {
            await fail(claim, error)
        }
    }

    private func sampling(_ settings: GenerationSettings) throws -> SamplingParameters {
        try SamplingParameters(
            temperature: settings.temperature ?? configuration.temperature,
            topP: settings.topP ?? 1
        )
    }

    private func announce(_ claim: ClaimedRun) {
        hub.startAnswer(
            LiveAnswer(conversation: claim.conversation, message: claim.message, run: claim.run)
        )
        if claim.isRestart {
            hub.tell(
                .messageRestarted(
                    MessageRestarted(
                        conversation: claim.conversation,
                        message: claim.message,
                        run: claim.run
                    )
                ),
                in: claim.conversation
            )
        }
    }

    /// A run that could not begin ends as failed, where that is its own fault; where the database is
    /// away, its lease runs out and it is claimed again.
    private func fail(_ claim: ClaimedRun, _ error: any Error) async {
        let told: WireError
        switch error {
        case let error as PromptError:
            told = Self.wireError(error)
        case let error as WireError where error.code == .notFound:
            claims.remove(claim.message)
            return
        case let error as WireError:
            told = error
        case is PostgresError:
            logger.warning("a run could not begin", metadata: ["error": "\(error)"])
            claims.remove(claim.message)
            return
        default:
            logger.error("a run could not begin", metadata: ["error": "\(error)"])
            told = WireError(.engineFailed, "the engine could not take this answer")
        }
        await end(claim, RunOutcome(text: "", state: .failed, finish: .error, error: told))
    }
}
