// The prompt that asks a model for a summary of the beginning of a branch: instructions of ours, and
// between them the messages as turns of a conversation, so that none of them can pass for another's or
// for an instruction.

public import ChatProtocol

/// A prompt for a summary.
public struct SummaryPlan: Sendable {
    /// What the model is given.
    public let prompt: Prompt
    /// The last message that the summary will stand for.
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
    /// What stands at the end of a message that was too long for the context.
    private static let cutMark = " […]"

    /// The longest summary, in tokens: an eighth of the context, so that the newest turns have room.
    public var summaryTokensMax: Int { min(400, max(16, contextLength / 8)) }

    /// Builds the prompt for a summary of the oldest of `messages`, as many as fit; the others are
    /// for the next summary, which goes on from this one.
    /// - Parameters:
    ///   - previous: the summary to go on from.
    ///   - messages: what follows it on the branch, oldest first.
    /// - Returns: nil where there is no message, or no room for any.
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
            // An answer that ended before its first word says nothing, and is summarized thereby.
            if message.role != "assistant" || !message.text.isEmpty {
                let fitting = taken.isEmpty ? shortened(message, to: room) : message
                let count = tokenCount(of: fitting)
                guard count <= room else { break }
                room -= count
                taken.append(fitting)
            }
            last = id
        }
        // Counted apart, messages may take a few tokens less than side by side.
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

    /// A message whose text is cut where all of it would not fit, with a mark that says so: there is
    /// no other way to summarize one that is longer than the context.
    private func shortened(_ message: PromptMessage, to room: Int) -> PromptMessage {
        let text = message.text
        var message = message
        // A token is four bytes or so; where it is less, the text is cut again.
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
