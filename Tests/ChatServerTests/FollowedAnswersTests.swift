import ChatProtocol
import ChatServer
import Testing

@Suite("Followed answers of other nodes")
struct FollowedAnswersTests {
    private let message = MessageID.make()
    private let answer = FollowedAnswers.Answer(
        conversation: ConversationID.make(),
        run: RunID.make()
    )

    @Test("an answer that two polls did not find has ended")
    func ended() {
        var followed = FollowedAnswers()
        followed.follow(message, answer)
        var result = followed.finish(followed.beginPoll(), found: [])
        #expect(result.missing == [message] && result.ended.isEmpty)
        result = followed.finish(followed.beginPoll(), found: [])
        #expect(result.missing.isEmpty && result.ended == [message])
    }

    @Test("an answer that is found again has not ended")
    func foundAgain() {
        var followed = FollowedAnswers()
        followed.follow(message, answer)
        _ = followed.finish(followed.beginPoll(), found: [])
        _ = followed.finish(followed.beginPoll(), found: [message])
        let result = followed.finish(followed.beginPoll(), found: [])
        #expect(result.missing == [message] && result.ended.isEmpty)
    }

    /// Dropped while it grows, it would be sent again from its first byte.
    @Test("polls that read before an answer was followed say nothing of it")
    func followedMeanwhile() {
        var followed = FollowedAnswers()
        let polls = [followed.beginPoll(), followed.beginPoll()]
        followed.follow(message, answer)
        for poll in polls {
            let result = followed.finish(poll, found: [])
            #expect(result.missing.isEmpty && result.ended.isEmpty)
        }
    }

    @Test("polls that overlap count as one")
    func overlapping() {
        var followed = FollowedAnswers()
        followed.follow(message, answer)
        for poll in [followed.beginPoll(), followed.beginPoll()] {
            let result = followed.finish(poll, found: [])
            #expect(result.ended.isEmpty)
        }
    }

    @Test("a poll that read before another run took over says nothing of that")
    func otherRun() {
        var followed = FollowedAnswers()
        followed.follow(message, answer)
        _ = followed.finish(followed.beginPoll(), found: [])
        let poll = followed.beginPoll()
        let next = FollowedAnswers.Answer(conversation: answer.conversation, run: RunID.make())
        followed.follow(message, next)
        let result = followed.finish(poll, found: [])
        #expect(result.missing.isEmpty && result.ended.isEmpty)
        #expect(followed[message]?.run == next.run)
    }
}
