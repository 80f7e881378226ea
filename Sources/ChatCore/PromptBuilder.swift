// Builds a model's prompt from a branch of messages: the system prompt first, then as many of the
// newest turns as fit. Turns are never split, and everything that is left out is reported.

public import ChatProtocol

/// The input of a prompt.
public struct PromptRequest: Sendable {
    /// A summary of the beginning of a branch.
    public struct BranchSummary: Sendable, Hashable {
        /// The summary's id.
        public var id: SummaryID
        /// The last message that it covers.
        public var through: MessageID
        /// Number of messages that it covers.
        public var messageCount: Int
        /// The text.
        public var text: String

        /// Creates a summary.
        public init(id: SummaryID, through: MessageID, messageCount: Int, text: String) {
            self.id = id
            self.through = through
            self.messageCount = messageCount
            self.text = text
        }
    }

    /// The system prompt; empty for none. It is never shortened.
    public var systemPrompt: String
    /// The version of the system prompt.
    public var systemPromptVersion: SystemPromptVersion?
    /// The functions that the model may call, as its template takes them; nil for none.
    public var tools: String?
    /// What happens if the history is too long.
    public var policy: ContextPolicy
    /// The summary of the messages before `branch`; nil if the policy wants none or there is none.
    public var summary: BranchSummary?
    /// The newest messages of the branch, oldest first, the question last.
    public var branch: [PromptMessage]
    /// Number of messages of the branch before `branch`, without those that the summary covers.
    public var olderMessageCount: Int
    /// The first message of the branch, if it is known and not in `branch`.
    public var firstMessage: MessageID?
    /// Maximum length of the answer, in tokens.
    public var maxNewTokens: Int

    /// Creates a request.
    public init(
        systemPrompt: String,
        systemPromptVersion: SystemPromptVersion? = nil,
        tools: String? = nil,
        policy: ContextPolicy = .dropOldest,
        summary: BranchSummary? = nil,
        branch: [PromptMessage],
        olderMessageCount: Int = 0,
        firstMessage: MessageID? = nil,
        maxNewTokens: Int
    ) {
        self.systemPrompt = systemPrompt
        self.systemPromptVersion = systemPromptVersion
        self.tools = tools
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
    /// The messages, for engines that tokenize themselves.
    public var messages: [PromptMessage]
    /// The tokens of the messages.
    public var tokens: [Int32]
    /// The record of what the tokens consist of.
    public var receipt: PromptReceipt
    /// Maximum length of the answer, in tokens.
    public var maxNewTokens: Int
    /// How many of the first tokens depend only on the server's own system prompt, which all users
    /// share; 0 if unknown.
    public var publishedTokenCount = 0

    /// Creates a prompt.
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

/// Why no prompt can be built.
public enum PromptError: Error, Sendable, Hashable {
    /// The system prompt and the newest turn alone are too long. Shorten one of them, or use a
    /// model with a longer context.
    case newestTurnTooLong(tokens: Int, limit: Int)
    /// The conversation's policy refuses a history that does not fit completely. Start a new
    /// conversation, or let the oldest turns be left out or summarized. `tokens` is the length of
    /// all messages that were read.
    case historyTooLong(messages: Int, tokens: Int, fitting: Int, limit: Int)
}

/// Builds prompts for a model.
public struct PromptBuilder: Sendable {
    /// The model's tokenizer and template.
    public let encoding: any PromptEncoding
    /// Maximum tokens of prompt and answer together.
    public let contextLength: Int

    /// - Parameters:
    ///   - encoding: the model's tokenizer and template.
    ///   - contextLength: maximum tokens of prompt and answer together.
    public init(encoding: any PromptEncoding, contextLength: Int) {
        self.encoding = encoding
        self.contextLength = contextLength
    }

    /// Maximum tokens of a prompt whose answer may have `maxNewTokens`. At least half of the
    /// context is left to the prompt.
    public func promptLimit(maxNewTokens: Int) -> Int {
        contextLength - min(maxNewTokens, contextLength / 2)
    }

    /// Builds the prompt for the next answer.
    /// - Throws: `PromptError` if not even the newest turn fits, or if the history does not fit and
    ///   the policy refuses that.
    public func build(_ request: PromptRequest) throws(PromptError) -> Prompt {
        let limit = promptLimit(maxNewTokens: request.maxNewTokens)
        let branch = Self.spoken(request).withSpeakers
        let system = Self.system(request)
        if let summary = request.summary {
            let head = system + [Self.message(for: summary)]
            // If the summary leaves no room for the newest turn, the summary is left out.
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

    /// The system prompt with the functions that the model may call; nothing if there is neither.
    private static func system(_ request: PromptRequest) -> [PromptMessage] {
        guard !request.systemPrompt.isEmpty || request.tools != nil else { return [] }
        return [PromptMessage(systemPrompt: request.systemPrompt, tools: request.tools)]
    }

    /// The message that contains a summary. It is not a system message: a summary consists of
    /// members' words, which must not gain the authority of a system prompt.
    public static func message(for summary: PromptRequest.BranchSummary) -> PromptMessage {
        PromptMessage(
            id: nil,
            summary: summary.id,
            role: "user",
            text: "Summary of the earlier part of this conversation:\n\(summary.text)"
        )
    }

    /// Removes answers that ended without text. If only the newest part of the branch was read,
    /// removes messages before its first whole turn.
    private static func spoken(_ request: PromptRequest) -> [PromptMessage] {
        var branch = request.branch[...]
        if request.olderMessageCount > 0 {
            branch = branch.drop { $0.role != "user" }
        }
        return branch.filter { $0.role != "assistant" || !$0.text.isEmpty || $0.calls != nil }
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

    /// See `Prompt.publishedTokenCount`. A conversation's own system prompt is not shared, even if
    /// its text is the same.
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
        // Messages of a summary that was left out count as left out.
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
