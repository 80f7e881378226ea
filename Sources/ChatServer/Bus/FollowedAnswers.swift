// The answers of other nodes that a node follows, and which of them have ended: a value, without I/O.

package import ChatProtocol

/// The followed answers. Polls read which runs exist, and may overlap: a result says nothing of
/// answers that were not followed yet when its reading began.
package struct FollowedAnswers {
    /// A followed answer.
    package struct Answer: Sendable, Hashable {
        package let conversation: ConversationID
        package let run: RunID
        /// The number of its run's last progress event that was broadcast.
        package var news: Int64 = 0
        /// Whether the last poll did not find it.
        fileprivate var isMissing = false

        package init(conversation: ConversationID, run: RunID) {
            self.conversation = conversation
            self.run = run
        }
    }

    /// A poll whose result has not been read yet.
    package struct Poll {
        fileprivate let answers: [MessageID: Answer]
    }

    /// The answers, by message.
    package private(set) var answers: [MessageID: Answer] = [:]

    package init() {}

    package var isEmpty: Bool { answers.isEmpty }

    package subscript(message: MessageID) -> Answer? { answers[message] }

    /// Follows an answer, unless its run is followed already.
    package mutating func follow(_ message: MessageID, _ answer: Answer) {
        if answers[message]?.run != answer.run { answers[message] = answer }
    }

    package mutating func remove(_ message: MessageID) -> Answer? {
        answers.removeValue(forKey: message)
    }

    /// Notes that a progress event was broadcast.
    package mutating func note(news number: Int64, of message: MessageID) {
        answers[message]?.news = number
    }

    // MARK: Polls

    /// Begins a poll: call it before the runs are read.
    package func beginPoll() -> Poll { Poll(answers: answers) }

    /// Applies the result of a poll.
    /// - Parameters:
    ///   - poll: the poll.
    ///   - found: the answers whose runs were found.
    /// - Returns: `missing`, the answers that were not found for the first time: their ends are
    ///   committed. `ended`, those that an earlier poll did not find either.
    package mutating func finish(
        _ poll: Poll,
        found: Set<MessageID>
    ) -> (missing: [MessageID], ended: [MessageID]) {
        var (missing, ended): ([MessageID], [MessageID]) = ([], [])
        for (message, before) in poll.answers where answers[message]?.run == before.run {
            answers[message]?.isMissing = !found.contains(message)
            guard !found.contains(message) else { continue }
            if before.isMissing { ended.append(message) } else { missing.append(message) }
        }
        return (missing, ended)
    }
}
