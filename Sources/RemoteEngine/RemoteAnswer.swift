// One answer that remote engines generate: its text so far, and where it stands. Whichever engine goes
// on, it goes on after exactly this text, so no text is sent twice.

import ConstrainedText
import EngineProtocol
import EventLoop
import Inference
import ThinkingText
import Tokenizers

/// One answer.
final class RemoteAnswer {
    /// Maximum requests for one answer, to all engines together.
    private static let triesMax = 8
    /// How long after a fault engines are tried again, unless text arrives meanwhile.
    static let patience: Duration = .seconds(30)

    let request: GenerationRequest
    let submittedAt: ContinuousClock.Instant
    /// The text that engines generated; without the request's beginning of the answer.
    private(set) var text = ""
    /// Tokens of `text`, as far as they are known.
    private(set) var drawnCount = 0
    private(set) var tries = 0
    var isStarted = false
    var isCancelled = false
    /// The engine that generates it now, or did last.
    private(set) var engine: Int?
    /// Whether its request was ended so that another engine goes on.
    var isMoving = false
    /// The task that reads it; cancelling it closes the connection.
    var task: LoopTask?
    /// The engine that failed last, which is avoided if there is another one.
    private(set) var avoided: Int?
    private(set) var lastFault: EngineFault?
    /// When it is given up if no engine takes it; nil before a fault.
    private(set) var givesUpAt: ContinuousClock.Instant?
    /// When it is given up if no text arrives, from all engines together; nil while none is asked,
    /// and after text.
    private(set) var textDeadline: ContinuousClock.Instant?
    private var firstTextAt: ContinuousClock.Instant?
    private var lastTextAt: ContinuousClock.Instant?
    private var splitter = ThinkingSplitter()
    private var lastThoughtAt: ContinuousClock.Instant?
    /// Events with text of the current request.
    private var currentCount = 0

    init(_ request: GenerationRequest, at now: ContinuousClock.Instant) {
        self.request = request
        submittedAt = now
        _ = splitter.append(request.answerText)
    }

    /// Whether the answer has text.
    var hasBegun: Bool { !request.answerText.isEmpty || !text.isEmpty }

    /// Whether its text ends within its thinking part.
    var isThinking: Bool { splitter.isThinking }

    var id: UInt64 { request.id }

    /// Notes that a request is sent for it, to the engine `index` with `deadlines`. A stalled engine
    /// takes at most its time for a first token; what is left then is for another one.
    func begin(
        on index: Int,
        _ deadlines: RemoteAddress.Deadlines,
        at now: ContinuousClock.Instant
    ) {
        engine = index
        tries += 1
        if textDeadline == nil { textDeadline = now + deadlines.firstToken + Self.patience }
    }

    /// Appends the text of `count` events.
    func append(_ new: String, _ count: Int, at now: ContinuousClock.Instant) {
        text += new
        drawnCount += count
        currentCount += count
        let wasThinking = splitter.isThinking
        _ = splitter.append(new)
        if wasThinking || splitter.isThinking { lastThoughtAt = now }
        if firstTextAt == nil { firstTextAt = now }
        lastTextAt = now
        (givesUpAt, textDeadline) = (nil, nil)
    }

    /// Notes a fault of the engine `index`.
    /// - Returns: whether to try again.
    func failed(_ fault: EngineFault, of index: Int, at now: ContinuousClock.Instant) -> Bool {
        let end = givesUpAt ?? now + Self.patience
        (lastFault, avoided, givesUpAt, currentCount) = (fault, index, end, 0)
        return fault.isWorthAnotherTry && tries < Self.triesMax && now < end
    }

    /// Notes that it leaves a removed engine, which is none of its tries.
    func moved() {
        isMoving = false
        tries -= 1
        currentCount = 0
    }

    /// Notes that no engine takes it.
    func waits(since now: ContinuousClock.Instant) {
        if givesUpAt == nil { givesUpAt = now + Self.patience }
    }

    // MARK: Requests

    /// Tokens that may still be generated.
    var tokensLeft: Int { request.maxNewTokens - request.answerPrefix.count - drawnCount }

    /// The request for an engine of a kind.
    func next(for kind: EngineKind, as name: String, of model: RemoteModel) -> AnswerRequest {
        let prompt: AnswerRequest.Prompt
        if kind.takesTokens, let encode = model.encode {
            prompt = .tokens(
                request.prompt + request.answerPrefix + (text.isEmpty ? [] : encode(text))
            )
        } else {
            prompt = .messages(
                request.messages.map { .init(role: $0.role, content: $0.content) },
                answer: request.answerText + text
            )
        }
        var next = AnswerRequest(model: name, prompt: prompt, tokensMax: max(1, tokensLeft))
        let sampling = request.sampling
        next.stopStrings = request.stopStrings
        next.constraint = request.constraint
        next.thinkingTokensMax = request.thinkingTokensMax
        next.hasBegun = hasBegun
        next.temperature = sampling.temperature
        next.topP = sampling.topP
        next.topK = sampling.topK
        next.minP = sampling.minP
        next.repetitionPenalty = sampling.repetitionPenalty
        next.presencePenalty = sampling.presencePenalty
        next.frequencyPenalty = sampling.frequencyPenalty
        next.logitBias = sampling.logitBias.map { .init(token: $0.token, bias: $0.bias) }
        next.seed = sampling.seed
        // Without a scope nothing is shared: a salt that no other request has.
        next.cacheScope = request.cacheScope ?? "\(UInt64.random(in: .min ... .max))"
        return next
    }

    // MARK: Its end

    /// The form that the whole answer must have; nil for none. At its token limit an engine may end
    /// it anywhere.
    func form(at finish: FinishReason) -> AnswerConstraint? {
        finish == .stop ? request.constraint : nil
    }

    /// The statistics of an answer that an engine has finished.
    func completion(
        _ result: AnswerDecoder.Result,
        sentTokens: Int?,
        record: RemoteRecord
    ) -> Completion {
        let usage = result.usage
        if let usage { drawnCount += usage.completionTokens - currentCount }
        // Of a prompt that was sent as tokens the number is known; of one that includes a beginning
        // of the answer, the engine's number counts that too.
        let isWhole = sentTokens == nil && request.answerText.isEmpty && tries == 1
        let promptTokens =
            isWhole ? usage?.promptTokens ?? request.prompt.count : request.prompt.count
        var completion = completion(result.end == .stop ? .stop : .length, promptTokens)
        completion.cachedTokens = min(usage?.cachedTokens ?? 0, promptTokens)
        // The number is of one request.
        if splitter.hasThinking, tries == 1 { completion.thinkingTokens = usage?.thinkingTokens }
        completion.remote = record
        return completion
    }

    /// The statistics of an answer that was stopped here.
    var stopped: Completion { completion(.stopped, request.prompt.count) }

    private func completion(_ finish: FinishReason, _ promptTokens: Int) -> Completion {
        var rate: Double?
        if let firstTextAt, let lastTextAt, drawnCount > 1, lastTextAt > firstTextAt {
            rate = Double(drawnCount - 1) / ((lastTextAt - firstTextAt) / .seconds(1))
        }
        var completion = Completion(
            finish: finish,
            promptTokens: promptTokens,
            completionTokens: request.answerPrefix.count + drawnCount,
            timeToFirstToken: firstTextAt.map { $0 - submittedAt },
            tokensPerSecond: rate
        )
        if let firstTextAt, let lastThoughtAt {
            completion.thinkingTime = lastThoughtAt - firstTextAt
        }
        return completion
    }
}
