import ChatProtocol
import Testing

@Suite("Wire encoding")
struct WireEncodingTests {
    @Test("an identifier is a lower-case UUID of version 7 that sorts by time")
    func identifiers() throws {
        var generator = SystemRandomNumberGenerator()
        let early = MessageID(milliseconds: 1_000, using: &generator)
        let late = MessageID(milliseconds: 2_000, using: &generator)
        #expect(early.description < late.description)
        #expect(early.description.lowercased() == early.description)
        let text = Array(early.description)
        #expect(text[14] == "7")
        #expect("89ab".contains(text[19]))
        #expect(MessageID(early.description) == early)
        #expect(MessageID("not one") == nil)
    }

    @Test(
        "a time is RFC 3339 with milliseconds",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"),
            (1_795_253_400_125, "2026-11-21T09:30:00.125Z"),
            (1_795_253_400_999, "2026-11-21T09:30:00.999Z"),
        ] as [(Int64, String)]
    )
    func times(milliseconds: Int64, text: String) {
        #expect(Timestamp(milliseconds: milliseconds).description == text)
    }

    @Test("a reply has the request's id and its result")
    func replies() throws {
        let granted = WireEncoding.reply(7, ok: PingReply(time: Timestamp(milliseconds: 0)))
        guard case .reply(7, .success(let text)) = try ServerFrame.parse(granted) else {
            Issue.record("no granting reply")
            return
        }
        #expect(try text.decode(as: PingReply.self).time.milliseconds == 0)

        let refused = WireEncoding.reply(
            8,
            error: WireError(.rateLimited, "slow down", retryAfter: 2.5)
        )
        let expected =
            #"{"id":8,"error":{"code":"rate_limited","message":"slow down","retry_after":2.5}}"#
        guard case .reply(8, .failure(let error)) = try ServerFrame.parse(refused) else {
            Issue.record("no refusing reply")
            return
        }
        #expect(error == WireError(.rateLimited, "slow down", retryAfter: 2.5))
        #expect(Set(String(decoding: refused, as: UTF8.self)) == Set(expected))
    }

    @Test("an event decodes to itself, and only durable ones have a number")
    func events() throws {
        let conversation = ConversationID.make()
        let delta = ServerEvent.messageDelta(
            MessageDelta(
                conversation: conversation,
                message: .make(),
                run: .make(),
                at: 3,
                to: 7,
                text: "é\n"
            )
        )
        guard
            case .event(.messageDelta(let read)) = try ServerFrame.parse(
                WireEncoding.event(delta)
            )
        else {
            Issue.record("not a delta")
            return
        }
        #expect(read.text == "é\n")
        #expect(read.at == 3)
        #expect(delta.n == nil)
        let deleted = ServerEvent.conversationDeleted(.init(conversation: conversation, n: 5))
        #expect(deleted.n == 5)
    }

    @Test("an event with an unknown name is ignored")
    func unknownEvents() throws {
        guard case .unknown = try ServerFrame.parse(Array(#"{"ev":"tea.ready"}"#.utf8)) else {
            Issue.record("taken for something known")
            return
        }
    }

    @Test(
        "a close code's range says what to do",
        arguments: [
            (1001, ReconnectAdvice.reconnect), (1006, .reconnect), (1012, .reconnect),
            (4000, .reconnect), (4100, .signIn), (4199, .signIn), (4200, .stayAway),
            (1003, .stayAway),
        ] as [(UInt16, ReconnectAdvice)]
    )
    func advice(code: UInt16, advice: ReconnectAdvice) {
        #expect(ReconnectAdvice(code: code) == advice)
    }

    @Test("every error code has an HTTP status of its class")
    func statuses() {
        for code in ErrorCode.allCases {
            #expect((400...599).contains(code.httpStatus))
        }
    }
}
