// How an answer begins: its prompt is rebuilt from the database and handed to an engine.

import ChatCore
import ChatProtocol
import ChatStore
import EventLoop
import FoundationEssentials
import Inference
import Logging
import Postgres
import Tokenizers

extension RunDispatcher {
    /// Takes a claimed answer to an engine, or to its end where it cannot begin.
    func begin(_ claim: ClaimedRun, with pool: EnginePool) async {
        guard mayBegin(claim) else { return }
        await beginNow(claim, with: pool)
    }

    /// Begins an answer, suspect or not.
    func beginNow(_ claim: ClaimedRun, with pool: EnginePool) async {
        defer { stopsBeforeStart[claim.message] = nil }
        var text = ""
        do {
            // From here on the try counts: also building a prompt may be what ends a node.
            guard let start = try await store.begin(claim, node: configuration.node) else {
                leave(claim.message)
                return
            }
            text = start.body + start.text
            if let stop = start.stop {
                await end(claim, .stopped(text, seen: stop.seen))
                return
            }
            try checkTries(start, of: claim)
            let input = try await store.input(of: claim, messageLimit: pool.messageLimit)
            if pool.board.isWaiting(for: input.model) {
                // Its conversation was given that model after the claim.
                try await store.releaseLeases(node: configuration.node, of: claim.message)
                leave(claim.message)
                return
            }
            let model = try pool.engine(for: input.model)
            let beginning = try await beginning(of: claim, start, with: model)
            let prompt = try await prompt(
                of: input,
                for: model,
                room: beginning.bodyTokenCount
            )
            await tellMissed(claim.conversation, claim.createdN)
            // The lease was lost, or given back, while the prompt was built.
            guard claims.contains(claim.message), !isReleasing else { return }
            if let stop = stopsBeforeStart[claim.message] {
                await end(claim, .stopped(text, seen: stop.seen))
                return
            }
            try await submit(claim, prompt, input, beginning, to: model, of: pool)
        } catch {
            await fail(claim, error, text: text)
        }
    }

    /// Hands an answer to its engine and tells its watchers.
    private func submit(
        _ claim: ClaimedRun,
        _ prompt: Prompt,
        _ input: RunInput,
        _ beginning: ActiveRun.Beginning,
        to model: ModelEngine,
        of pool: EnginePool
    ) async throws {
        let room = min(prompt.maxNewTokens, model.contextLength - prompt.tokens.count)
        guard beginning.tokens.count <= room else {
            // It may have fewer tokens by now than it has.
            let outcome = RunOutcome(text: beginning.text, state: .complete, finish: .length)
            await end(claim, outcome)
            return
        }
        let request = try pool.submit(
            prompt,
            answerPrefix: beginning.tokens,
            givenCount: beginning.bodyTokenCount,
            stopStrings: input.settings.stop ?? [],
            sampling: try sampling(input.settings, for: claim),
            // What one conversation is about shows in nothing of another one's.
            cacheScope: "\(claim.conversation)",
            to: model
        )
        runs[request] = ActiveRun(
            claim: claim,
            receipt: prompt.receipt,
            model: model,
            request: request,
            beginning: beginning,
            shortenedTo: input.shortenedTo
        )
        announce(claim, beginning)
    }

    /// Gives up on an answer that was tried too often.
    private func checkTries(_ start: RunStart, of claim: ClaimedRun) throws(WireError) {
        guard
            start.attempts > configuration.attemptsMax || start.tries > configuration.triesMax
        else { return }
        logger.error(
            "too many attempts; run failed",
            metadata: ["message": "\(claim.message)", "tries": "\(start.tries - 1)"]
        )
        let count = start.attempts > configuration.attemptsMax ? "three" : "many"
        throw WireError(
            .engineFailed,
            "the server had to give up on this answer after \(count) tries; "
                + "ask again in other words, or leave out what may have been too much for it"
        )
    }

    /// What a run goes on from: the text of the runs before it, where this model made it, else what
    /// the answer began with.
    private func beginning(
        of claim: ClaimedRun,
        _ start: RunStart,
        with model: ModelEngine
    ) async throws -> ActiveRun.Beginning {
        let bodyTokens = try await encode(start.body, for: model)
        var (text, tokens) = (start.body, bodyTokens)
        let isNew = start.text.isEmpty && start.tokens.isEmpty
        if isNew || start.engine == model.identity {
            text += start.text
            tokens += start.tokens
        } else {
            try await store.beginAnew(claim, at: start.body.utf8.count)
        }
        return ActiveRun.Beginning(
            text: text,
            tokens: tokens,
            bodyTokenCount: bodyTokens.count,
            isTakeover: start.isTakeover || claim.isRestart,
            base: start.base.map { min($0, text.utf8.count) },
            tries: start.tries
        )
    }

    /// The tokens of a text that an answer goes on from; beside the loop, as it may be long.
    private func encode(_ text: String, for model: ModelEngine) async throws -> [Int32] {
        if text.isEmpty { return [] }
        let tokenizer = model.tokenizer
        return try await promptWorkers.run {
            tokenizer.encode(text, specialTokens: .asText)
        }
    }

    private func sampling(
        _ settings: GenerationSettings,
        for claim: ClaimedRun
    ) throws -> SamplingParameters {
        let temperature = settings.temperature ?? configuration.temperature
        return try SamplingParameters(
            temperature: temperature,
            topP: settings.topP ?? 1,
            // A run that takes over continues with the same random numbers.
            seed: temperature > 0
                ? settings.seed.map(UInt64.init) ?? claim.message.samplingSeed : nil
        )
    }

    private func announce(_ claim: ClaimedRun, _ beginning: ActiveRun.Beginning) {
        hub.startAnswer(
            LiveAnswer(
                conversation: claim.conversation,
                message: claim.message,
                run: claim.run,
                text: beginning.text,
                base: beginning.base,
                createdN: claim.createdN
            )
        )
        if beginning.isTakeover {
            hub.tell(
                .messageRestarted(
                    MessageRestarted(
                        conversation: claim.conversation,
                        message: claim.message,
                        run: claim.run,
                        at: beginning.text.utf8.count
                    )
                ),
                in: claim.conversation
            )
        }
    }

    /// A run that could not begin ends as failed, where that is its own fault; where the database is
    /// away, its lease runs out and it is claimed again.
    private func fail(_ claim: ClaimedRun, _ error: any Error, text: String) async {
        let told: WireError
        switch error {
        case let error as PromptError:
            told = Self.wireError(error)
        case let error as WireError where error.code == .notFound:
            leave(claim.message)
            return
        case let error as WireError:
            told = error
        case is PostgresError:
            logger.warning("starting a run failed", metadata: ["error": "\(error)"])
            leave(claim.message)
            return
        default:
            logger.error("starting a run failed", metadata: ["error": "\(error)"])
            told = WireError(.engineFailed, "the engine could not start this answer")
        }
        await end(claim, RunOutcome(text: text, state: .failed, finish: .error, error: told))
    }
}

extension RunOutcome {
    /// An answer that was stopped before its run began, up to where its reader had got.
    fileprivate static func stopped(_ text: String, seen: Int?) -> RunOutcome {
        RunOutcome(
            text: seen.map { text.prefix(utf8Count: $0) } ?? text,
            state: .stopped,
            finish: .stopped
        )
    }
}

extension MessageID {
    /// The seed of all runs of an answer, of the chance that is in its id. It has 53 bits, which
    /// every reader of JSON keeps exactly.
    fileprivate var samplingSeed: UInt64 {
        let low = withUnsafeBytes(of: uuid.uuid) { bytes in
            bytes.suffix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        }
        return low & ((1 << 53) - 1)
    }
}
