// From a branch of messages to what the model is given: system prompt first, then as many of the
// newest turns as fit, whole. Nothing is cut inside a turn, and nothing is cut in silence.

public import ChatProtocol

/// What a prompt is made from.
public struct PromptRequest: Sendable {
    /// A summary of the beginning of a branch.
    public struct BranchSummary: Sendable, Hashable {
        /// Which.
        public var id: SummaryID
        /// The last message that it stands for.
        public var through: MessageID
        /// How many messages it stands for.
        public var messageCount: Int
        /// What it says.
        public var text: String

        /// Puts a summary together.
        public init(id: SummaryID, through: MessageID, messageCount: Int, text: String) {
            self.id = id
            self.through = through
            self.messageCount = messageCount
            self.text = text
        }
    }

    /// What the model is told first; empty for nothing; never cut.
    public var systemPrompt: String
    /// Which version that is.
    public var systemPromptVersion: SystemPromptVersion?
    /// What becomes of a history that is too long.
    public var policy: ContextPolicy
    /// What stands for the messages before `branch`, where the policy wants one and there is one.
    public var summary: BranchSummary?
    /// The newest messages of the branch, oldest first, the question last.
    public var branch: [PromptMessage]
    /// How many messages of the branch stand before `branch`, those of the summary not counted.
    public var olderMessageCount: Int
    /// The first message of the branch, where that is known and not in `branch`.
    public var firstMessage: MessageID?
    /// The longest answer that is wanted, in tokens.
    public var maxNewTokens: Int

    /// Puts a request together.
    public init(
        systemPrompt: String,
        systemPromptVersion: SystemPromptVersion? = nil,
        policy: ContextPolicy = .dropOldest,
        summary: BranchSummary? = nil,
        branch: [PromptMessage],
        olderMessageCount: Int = 0,
        firstMessage: MessageID? = nil,
        maxNewTokens: Int
    ) {
        self.systemPrompt = systemPrompt
        self.systemPromptVersion = systemPromptVersion
        self.policy = policy
        self.summary = summary
        self.branch = branch
        self.olderMessageCount = olderMessageCount
        self.firstMessage = firstMessage
        self.maxNewTokens = maxNewTokens
    }
}

/// A prompt with its receipt.
public struct Prompt: Sendable, Hashable {
    /// What the model is given, as messages: for engines that tokenise themselves.
    public var messages: [PromptMessage]
    /// The same as tokens.
    public var tokens: [Int32]
    /// What they are made of.
    public var receipt: PromptReceipt
    /// How many tokens the answer may have.
    public var maxNewTokens: Int
    /// How many of the first tokens follow from the server's own system prompt alone, which is
    /// everybody's; 0 where that cannot be told.
    public var publishedTokenCount = 0

    /// Puts a prompt together.
    public init(
        messages: [PromptMessage],
        tokens: [Int32],
        receipt: PromptReceipt,
        maxNewTokens: Int
    ) {
        self.messages = messages
        self.tokens = tokens
        self.receipt = receipt
        self.maxNewTokens = maxNewTokens
    }
}

/// Why there is no prompt.
public enum PromptError: Error, Sendable, Hashable {
    /// The system prompt and the newest turn alone are too long. Shorten one of them, or use a model
    /// with a longer context.
    case newestTurnTooLong(tokens: Int, limit: Int)
    /// The conversation is not to be answered unless all of it fits. Begin a new one, or let its
    /// oldest turns be left out or summarized.
    /// `tokens` is what all that was read of it takes.
    case historyTooLong(messages: Int, tokens: Int, fitting: Int, limit: Int)
}

/// Builds prompts for a model.
public struct PromptBuilder: Sendable {
    /// The model's tokenizer and template.
    public let encoding: any PromptEncoding
    /// The longest prompt and answer together, in tokens.
    public let contextLength: Int

    /// - Parameters:
    ///   - encoding: the model's tokenizer and template.
    ///   - contextLength: the longest prompt and answer together, in tokens.
    public init(encoding: any PromptEncoding, contextLength: Int) {
        self.encoding = encoding
        self.contextLength = contextLength
    }

    /// The most tokens of a prompt whose answer may have `maxNewTokens`: a long answer's share never
    /// pushes out more than half of what can be remembered.
    public func promptLimit(maxNewTokens: Int) -> Int {
        contextLength - min(maxNewTokens, contextLength / 2)
    }

    /// Builds the prompt for the next answer.
    /// - Throws: `PromptError` where even the newest turn does not fit, or where not all does and
    ///   the policy is to refuse then.
    public func build(_ request: PromptRequest) throws(PromptError) -> Prompt {
        let limit = promptLimit(maxNewTokens: request.maxNewTokens)
        let branch = Self.spoken(request).withSpeakers
        let system =
            request.systemPrompt.isEmpty
            ? [] : [PromptMessage(id: nil, role: "system", text: request.systemPrompt)]
        if let summary = request.summary {
            let head = system + [Self.message(for: summary)]
            // Where the summary leaves no room for the question, it gives way.
            if let fitting = try? PromptFitting(branch, after: head, limit: limit, encoding) {
                return prompt(fitting, head, branch, request)
            }
        }
        let fitting = try PromptFitting(branch, after: system, limit: limit, encoding)
        let prompt = prompt(fitting, system, branch, request)
        if request.policy == .refuse, prompt.receipt.leftOut != nil {
            let fits = branch.count - fitting.first
            throw .historyTooLong(
                messages: fits + prompt.receipt.droppedMessages,
                tokens: encoding.encode(system + branch).tokens.count,
                fitting: fits,
                limit: limit
            )
        }
        return prompt
    }

    /// How a model is told a summary: as words of the conversation, since it is made of such, and
    /// no member's words shall gain the weight of a system prompt by being summarized.
    public static func message(for summary: PromptRequest.BranchSummary) -> PromptMessage {
        PromptMessage(
            id: nil,
            summary: summary.id,
            role: "user",
            text: "Summary of the earlier part of this conversation:\n\(summary.text)"
        )
    }

    /// An answer that ended before its first word says nothing to the model. A branch of which only
    /// the newest part was read begins with a whole turn.
    private static func spoken(_ request: PromptRequest) -> [PromptMessage] {
        var branch = request.branch[...]
        if request.olderMessageCount > 0 {
            branch = branch.drop { $0.role != "user" }
        }
        return branch.filter { !($0.role == "assistant" && $0.text.isEmpty) }
    }

    private func prompt(
        _ fitting: PromptFitting,
        _ head: [PromptMessage],
        _ branch: [PromptMessage],
        _ request: PromptRequest
    ) -> Prompt {
        let messages = head + branch[fitting.first...]
        let entries = zip(messages, fitting.counts).map {
            PromptReceipt.Entry($0, tokens: $1)
        }
        var summarized: PromptReceipt.Summarized?
        if let summary = request.summary, let entry = entries.first(where: { $0.summary != nil }) {
            summarized = PromptReceipt.Summarized(
                summary: summary.id,
                through: summary.through,
                count: summary.messageCount,
                tokens: entry.tokens
            )
        }
        var prompt = Prompt(
            messages: messages,
            tokens: fitting.tokens,
            receipt: PromptReceipt(
                policy: request.policy,
                systemPrompt: request.systemPromptVersion,
                entries: entries,
                promptTokens: fitting.tokens.count,
                leftOut: leftOut(before: fitting.first, of: branch, request, summarized),
                summarized: summarized
            ),
            maxNewTokens: min(request.maxNewTokens, contextLength - fitting.tokens.count)
        )
        prompt.publishedTokenCount = publishedTokenCount(of: fitting.tokens, request)
        return prompt
    }

    /// See `Prompt.publishedTokenCount`. A conversation's own system prompt is nobody else's, even
    /// where it says the same.
    private func publishedTokenCount(of tokens: [Int32], _ request: PromptRequest) -> Int {
        let system = PromptMessage(id: nil, role: "system", text: request.systemPrompt)
        guard !system.text.isEmpty, request.systemPromptVersion?.scope == .server,
            let parts = encoding.parts,
            let own = parts.encode(system, isFirst: true, isLast: false)
        else { return 0 }
        let published = parts.opening + own
        return tokens.starts(with: published) ? published.count : 0
    }

    private func leftOut(
        before first: Int,
        of branch: [PromptMessage],
        _ request: PromptRequest,
        _ summarized: PromptReceipt.Summarized?
    ) -> PromptReceipt.LeftOut? {
        let cut = request.branch.count - request.branch.drop { $0.id != branch.first?.id }.count
        let unread = request.olderMessageCount
        // A summary that gave way leaves what it stood for out.
        let covered = summarized == nil ? request.summary?.messageCount ?? 0 : 0
        let count = covered + unread + (unread > 0 ? cut : 0) + first
        guard count > 0 else { return nil }
        let isWhole = covered == 0 && unread == 0
        return PromptReceipt.LeftOut(
            first: isWhole ? branch.first?.id : request.firstMessage,
            last: first > 0
                ? branch[first - 1].id
                : unread > 0 && cut > 0 ? request.branch[cut - 1].id : request.summary?.through,
            count: count
        )
    }
}
