// Prepares runs: rebuilds their prompts from the database.

import ChatCore
import ChatProtocol
import ChatStore
import ConstrainedText
import EventLoop
import FoundationEssentials
import Inference
import Logging
import Postgres
import Tokenizers

/// Prepares the runs of a node.
struct RunPreparation {
    unowned let dispatcher: RunDispatcher

    private var store: Store { dispatcher.store }
    private var configuration: RunDispatcher.Configuration { dispatcher.configuration }

    /// Counts an attempt of a run unless its claim did, and builds its prompt.
    func prepare(_ run: ActiveRun) async {
        guard let pool = dispatcher.pool else { return }
        let claim = run.claim
        do {
            dispatcher.peers.runBegins(in: claim.conversation)
            // The attempt counts by now: building the prompt may be what crashes the server.
            guard let found = try await store.runs.begin(claim, node: configuration.node) else {
                return dispatcher.handle(.giveUp, of: run)
            }
            run.text = found.body + found.text
            if let stop = found.stop { dispatcher.handle(.stop(stop), of: run) }
            if run.state.phase == .aborting { return dispatcher.end(run, run.stoppedOutcome) }
            try checkTries(found, of: claim)
            let known = run.takeKnown()
            let input: RunInput
            if let known {
                input = known.input
            } else {
                input = try await store.context.input(of: claim, messageLimit: pool.messageLimit)
            }
            if pool.board.isWaiting(for: input.model) {
                // The conversation's model was changed to this one after the claim.
                try await store.queue.releaseLeases(node: configuration.node, of: claim.message)
                return dispatcher.handle(.giveUp, of: run)
            }
            let model = try pool.engine(for: input.model)
            // From here on the model is not unloaded before the run has ended.
            run.model = model.name
            let encode = model.encodeAnswer(hasTools: input.options.tools != nil)
            let constraint = model.constraint(of: input.options, stop: input.settings.stop)
            let start = try await start(of: claim, found, constraint, with: model, encode)
            let prompt = try await prompt(
                of: input,
                for: model,
                room: start.bodyTokenCount,
                counted: known?.counted
            )
            await dispatcher.peers.publishMissed(in: claim.conversation, upTo: claim.createdN)
            run.awaitsTitle = input.awaitsTitle
            run.prepared = ActiveRun.Prepared(
                prompt: prompt,
                sampling: try sampling(input, for: claim),
                topLogprobs: input.options.topLogprobs,
                constraint: constraint,
                thinkingTokensMax: thinkingTokensMax(input, prompt, for: model),
                stopStrings: input.settings.stop ?? [],
                shortenedTo: input.shortenedTo,
                start: start,
                model: model
            )
            dispatcher.handle(.prepared, of: run)
        } catch {
            fail(run, error)
        }
    }

    /// Fails an answer that had too many attempts.
    private func checkTries(_ start: RunStart, of claim: ClaimedRun) throws(WireError) {
        guard
            start.attempts > configuration.attemptsMax || start.tries > configuration.triesMax
        else { return }
        dispatcher.logger.error(
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

    /// What a run starts from: the text of the earlier runs, if this model generated it; otherwise
    /// the text that the answer had before its first run.
    private func start(
        of claim: ClaimedRun,
        _ found: RunStart,
        _ constraint: AnswerConstraint?,
        with model: ModelEngine,
        _ encode: @escaping @Sendable (String) -> [Int32]
    ) async throws -> ActiveRun.Start {
        let bodyTokens = try await tokens(of: found.body, encode)
        var (text, tokens) = (found.body, bodyTokens)
        var answerTokens: [AnswerToken] = []
        let isNew = found.text.isEmpty && found.tokens.isEmpty
        if let constraint { try await compile(constraint, for: model) }
        // Remote engines hold a form only from the beginning of an answer.
        let continues = found.engine == model.identity && (constraint == nil || model.tellsTokens)
        if isNew || continues {
            text += found.text
            answerTokens = found.answerTokens
            let isKnown = model.tellsTokens
            tokens += isKnown ? found.tokens : try await self.tokens(of: found.text, encode)
        } else {
            try await store.runs.beginAnew(claim, at: found.body.utf8.count)
        }
        return ActiveRun.Start(
            text: text,
            tokens: tokens,
            answerTokens: answerTokens,
            bodyTokenCount: bodyTokens.count,
            isTakeover: found.isTakeover || claim.isRestart,
            base: found.base.map { min($0, text.utf8.count) },
            tries: found.tries
        )
    }

    /// Compiles the form of an answer on a worker thread, so that the engine finds it.
    private func compile(_ constraint: AnswerConstraint, for model: ModelEngine) async throws {
        guard let tokensNeeded = model.tokensNeeded else { return }
        _ = try await dispatcher.promptWorkers.run { try tokensNeeded(constraint, []) }
    }

    /// Encodes the text that an answer resumes from; on a worker thread, as it may be long.
    private func tokens(
        of text: String,
        _ encode: @escaping @Sendable (String) -> [Int32]
    ) async throws -> [Int32] {
        if text.isEmpty { return [] }
        return try await dispatcher.promptWorkers.run { encode(text) }
    }

    /// The maximum length of the thinking part. What the server sets for all models is for the engines
    /// that can hold it; what the conversation sets, or the server for this model, an engine that
    /// cannot refuses.
    private func thinkingTokensMax(
        _ input: RunInput,
        _ prompt: Prompt,
        for model: ModelEngine
    ) -> Int? {
        let ofModel = dispatcher.pool?.board.thinkingLimits[model.name]
        if let limit = input.settings.maxThinkingTokens ?? ofModel { return limit }
        guard model.limitsThinking else { return nil }
        return configuration.maxThinkingTokens ?? prompt.maxNewTokens / 2
    }

    private func sampling(
        _ input: RunInput,
        for claim: ClaimedRun
    ) throws -> SamplingParameters {
        let (settings, options) = (input.settings, input.options)
        // The answers of a request have consecutive seeds.
        let seed = settings.seed.map { UInt64($0 + Int64(input.answerIndex)) & MessageID.seedMask }
        let temperature = settings.temperature ?? configuration.temperature
        return try SamplingParameters(
            temperature: temperature,
            topP: settings.topP ?? 1,
            presencePenalty: options.presencePenalty,
            frequencyPenalty: options.frequencyPenalty,
            logitBias: options.logitBias.map { TokenBias(token: $0.token, bias: $0.bias) },
            // A run that takes over continues with the same random numbers.
            seed: temperature > 0 ? seed ?? claim.message.samplingSeed : nil
        )
    }

    /// Ends a run that could not begin as failed, if the error is its own. If the database is
    /// unavailable, its lease expires and it is claimed again.
    func fail(_ run: ActiveRun, _ error: any Error) {
        let shown: WireError
        switch error {
        case let error as PromptError:
            shown = Self.wireError(error)
        case let error as WireError where error.code == .notFound:
            return dispatcher.handle(.giveUp, of: run)
        case let error as WireError:
            shown = error
        case is PostgresError:
            dispatcher.logger.warning("starting a run failed", metadata: ["error": "\(error)"])
            return dispatcher.handle(.giveUp, of: run)
        default:
            dispatcher.logger.error("starting a run failed", metadata: ["error": "\(error)"])
            shown = WireError(.engineFailed, "the engine could not start this answer")
        }
        dispatcher.end(run, run.outcome(failing: shown))
    }
}

extension MessageID {
    /// The 53 bits of a seed, which every JSON parser represents exactly.
    fileprivate static var seedMask: UInt64 { (1 << 53) - 1 }

    /// The seed of all runs of an answer, from the random part of its id.
    fileprivate var samplingSeed: UInt64 {
        let low = withUnsafeBytes(of: uuid.uuid) { bytes in
            bytes.suffix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        }
        return low & Self.seedMask
    }
}
