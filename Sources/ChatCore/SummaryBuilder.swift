// The prompt that asks a model to summarize the beginning of a branch: fixed instructions, and
// between them the messages as turns of a conversation, so that none of them can pass for another
// message or for an instruction.

public import ChatProtocol

/// The prompt for a summary.
public struct SummaryPlan: Sendable {
    /// The prompt for the model.
    public let prompt: Prompt
    /// The last message that the summary covers.
    public let through: MessageID
}

extension PromptBuilder {
    private static let instruction = """
        You summarize conversations. Keep names, numbers, decisions, open questions, and what the \
        user asked for or told about themselves. Write plain sentences. Add nothing.
        """
    private static let request = """
        Summarize all of our conversation so far, the earlier summary included, in a few sentences, \
        so that it can be carried on from the summary alone.
        """
    /// The mark at the end of a message that was cut to fit the context.
    private static let cutMark = " […]"

    /// Maximum tokens of a summary: an eighth of the context, so that the newest turns have room.
    public var summaryTokensMax: Int { min(400, max(16, contextLength / 8)) }

    /// Builds the prompt for a summary of the oldest of `messages`, as many as fit; the next
    /// summary continues with the others.
    /// - Parameters:
    ///   - previous: the summary to continue.
    ///   - messages: the messages after it on the branch, oldest first.
    /// - Returns: nil if there are no messages, or no room for any.
    public func buildSummary(
        after previous: PromptRequest.BranchSummary?,
        of messages: [PromptMessage]
    ) -> SummaryPlan? {
        let limit = contextLength - summaryTokensMax
        let head =
            [PromptMessage(id: nil, role: "system", text: Self.instruction)]
            + (previous.map { [Self.message(for: $0)] } ?? [])
        let tail = [PromptMessage(id: nil, role: "user", text: Self.request)]
        var room = limit - encoding.encode(head + tail).tokens.count
        var taken: [PromptMessage] = []
        var last: MessageID?
        for message in messages.withSpeakers {
            guard let id = message.id else { continue }
            // An answer without text needs no summary and counts as summarized.
            if message.role != "assistant" || !message.text.isEmpty {
                let fitting = taken.isEmpty ? shortened(message, to: room) : message
                let count = tokenCount(of: fitting)
                guard count <= room else { break }
                room -= count
                taken.append(fitting)
            }
            last = id
        }
        // Messages counted one by one may take a few tokens less than together.
        while let through = last, !taken.isEmpty {
            let all = head + taken + tail
            let encoded = encoding.encode(all)
            if encoded.tokens.count <= limit {
                return plan(all, encoded.tokens, encoded.messageTokenCounts, through)
            }
            taken.removeLast()
            last = taken.last?.id
        }
        return nil
    }

    private func plan(
        _ messages: [PromptMessage],
        _ tokens: [Int32],
        _ counts: [Int],
        _ through: MessageID
    ) -> SummaryPlan {
        SummaryPlan(
            prompt: Prompt(
                messages: messages,
                tokens: tokens,
                receipt: PromptReceipt(
                    policy: .summarize,
                    systemPrompt: nil,
                    entries: zip(messages, counts).map {
                        PromptReceipt.Entry($0, tokens: $1)
                    },
                    promptTokens: tokens.count,
                    leftOut: nil,
                    summarized: nil
                ),
                maxNewTokens: min(summaryTokensMax, contextLength - tokens.count)
            ),
            through: through
        )
    }

    /// A message, cut with a mark if it does not fit: a message longer than the context cannot be
    /// summarized otherwise.
    func shortened(_ message: PromptMessage, to room: Int) -> PromptMessage {
        let text = message.text
        var message = message
        // A token has about four bytes; if it has fewer, the text is cut again.
        var byteCount = max(room, 0) * 4
        while byteCount > 8, tokenCount(of: message) > room {
            var end = text.utf8.index(text.startIndex, offsetBy: min(byteCount, text.utf8.count))
            while end.samePosition(in: text.unicodeScalars) == nil {
                end = text.utf8.index(before: end)
            }
            byteCount = byteCount * 3 / 4
            message.text = text[..<end] + Self.cutMark
        }
        return message
    }

    private func tokenCount(of message: PromptMessage) -> Int {
        if let count = encoding.parts?.encode(message, isFirst: false, isLast: false)?.count {
            return count
        }
        return encoding.encode([message]).messageTokenCounts.first ?? 0
    }
}
