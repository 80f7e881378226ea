// Invalid input gets a specific error, and affects no other client.

import ChatProtocol
import HTTPProtocol
import Testing
import WebSocketProtocol

extension EndToEnd.OneServer {
    @Test(
        "a frame that is not a request gets an error, and the connection stays open",
        arguments: [
            ("{", nil, "bad_request"),
            ("[]", nil, "bad_request"),
            ("null", nil, "bad_request"),
            (#""text""#, nil, "bad_request"),
            ("", nil, "bad_request"),
            (#"{"op":"ping"}"#, nil, "bad_request"),
            (#"{"id":"7","op":"ping"}"#, nil, "bad_request"),
            (#"{"id":1.5,"op":"ping"}"#, nil, "bad_request"),
            (#"{"id":99999999999999999999,"op":"ping"}"#, nil, "bad_request"),
            (#"{"id":7}"#, 7, "bad_request"),
            (#"{"id":7,"op":7}"#, 7, "bad_request"),
            (#"{"id":7,"op":"message.explode"}"#, 7, "unknown_op"),
            (#"{"id":7,"op":"message.send"}"#, 7, "bad_request"),
            (#"{"id":7,"op":"conversation.get","conversation":5}"#, 7, "bad_request"),
            (#"{"id":7,"op":"conversation.get","conversation":"x"}"#, 7, "bad_request"),
            (#"{"id":7,"op":"conversation.list","limit":"all"}"#, 7, "bad_request"),
            (#"{"id":7,"op":"conversation.list","limit":-1}"#, 7, "bad_request"),
            (#"{"id":7,"op":"conversation.list","cursor":"x"}"#, 7, "bad_request"),
            (#"{"id":7,"op":"conversation.create","key":""}"#, 7, "bad_request"),
            (#"{"id":7,"op":"search","query":""}"#, 7, "bad_request"),
        ] as [(String, Int64?, String)]
    )
    func malformedRequests(frame: String, id: Int64?, code: String) throws {
        let peer = try connect("ada")
        try peer.send(text: frame)
        guard case .failure(let error) = try peer.reply(to: id) else {
            Issue.record("granted")
            return
        }
        #expect(error.code.rawValue == code)
        #expect(!error.message.isEmpty)
        _ = try peer.call(.ping, as: PingReply.self)
    }

    @Test("a hundred thousand nested brackets are refused like any other text")
    func deepNesting() throws {
        let peer = try connect("ada")
        try peer.send(text: String(repeating: "[", count: 100_000))
        guard case .failure = try peer.reply(to: nil) else { return }
        _ = try peer.call(.ping, as: PingReply.self)
    }

    @Test(
        "SQL is text like any other, in every field",
        arguments: [
            "'; DROP TABLE messages; --", #"" OR 1=1 --"#, "$1", "\\'; SELECT pg_sleep(10); --",
            "%", "\u{2}\u{3}", "' | ! & <-> :*",
        ]
    )
    func hostileTexts(text: String) throws {
        let peer = try connect("ada")
        let create = ConversationCreateRequest(key: text, title: text, systemPrompt: text)
        let made: ConversationReply = try peer.call(.conversationCreate, create)
        let conversation = made.conversation.id
        #expect(made.conversation.title == text)
        #expect(made.conversation.systemPrompt == text)
        let sent = try peer.say(text, in: conversation, key: "\(text) again")
        #expect(try peer.messages(of: conversation).first?.text == text)
        let member = MemberAddRequest(conversation: conversation, user: text)
        #expect(try peer.refusal(.memberAdd, member) == .notFound)
        let page = ConversationListRequest(cursor: text)
        #expect(try peer.refusal(.conversationList, page) == .badRequest)
        for request in [SearchRequest(query: text), SearchRequest(query: "x", cursor: text)] {
            let code = try peer.refusal(.search, request)
            #expect(code == nil || code == .badRequest)
        }
        let stop = ["message": text]
        #expect(try peer.refusal(.generationStop, stop) == .badRequest)
        #expect(sent.message.text == text)
    }

    @Test("a NUL character, which PostgreSQL cannot store, is a bad request in every field")
    func nulCharacters() throws {
        let peer = try connect("ada")
        let text = "a\0b"
        let conversation = try peer.createConversation()
        let refusals = [
            try peer.refusal(.conversationCreate, ConversationCreateRequest(key: text)),
            try peer.refusal(.conversationCreate, ConversationCreateRequest(key: "t", title: text)),
            try peer.refusal(
                .conversationCreate,
                ConversationCreateRequest(key: "p", systemPrompt: text)
            ),
            try peer.refusal(
                .messageSend,
                MessageSendRequest(conversation: conversation, key: "k", text: text)
            ),
            try peer.refusal(
                .messageSend,
                MessageSendRequest(conversation: conversation, key: text, text: "Hello!")
            ),
            try peer.refusal(
                .conversationUpdate,
                ConversationUpdateRequest(conversation: conversation, title: text)
            ),
        ]
        #expect(refusals == Array(repeating: .badRequest, count: refusals.count))
        let member = MemberAddRequest(conversation: conversation, user: text)
        let code = try peer.refusal(.memberAdd, member)
        #expect(code == .badRequest || code == .notFound)
        let query = try peer.refusal(.search, SearchRequest(query: text))
        #expect(query == nil || query == .badRequest)
    }

    @Test("texts over their limit are refused with the field's name")
    func tooLong() throws {
        let peer = try connect("ada")
        let conversation = try peer.createConversation()
        let text = String(repeating: "x", count: ProtocolLimits.standard.textBytes + 1)
        let send = MessageSendRequest(conversation: conversation, key: "long", text: text)
        #expect(try peer.refusal(.messageSend, send) == .limitExceeded)
        let title = ConversationUpdateRequest(conversation: conversation, title: text)
        #expect(try peer.refusal(.conversationUpdate, title) == .limitExceeded)
        let key = MessageSendRequest(
            conversation: conversation,
            key: String(repeating: "k", count: 65),
            text: "Hello!"
        )
        #expect(try peer.refusal(.messageSend, key) == .badRequest)
    }

    @Test("a frame over the limit closes with 1009, as soon as its header is read")
    func hugeFrame() throws {
        let peer = try connect("ada")
        let size = ProtocolLimits.standard.frameBytes + 1
        let frame = WebSocketFrame.encode(
            .text,
            [UInt8](repeating: 0x20, count: size),
            key: MaskingKey(word: 1)
        )
        try peer.send(raw: Array(frame[..<14]))
        #expect(try peer.closeCode() == 1009)
    }

    @Test("text that is not UTF-8 closes with 1007")
    func invalidUTF8() throws {
        let peer = try connect("ada")
        try peer.send(raw: WebSocketFrame.encode(.text, [0xC3, 0x28], key: MaskingKey(word: 1)))
        #expect(try peer.closeCode() == 1007)
    }

    @Test("a binary frame closes with 1003")
    func binaryFrame() throws {
        let peer = try connect("ada")
        try peer.send(raw: WebSocketFrame.encode(.binary, [1, 2], key: MaskingKey(word: 1)))
        #expect(try peer.closeCode() == 1003)
    }

    @Test("requests after the server's close frame are not executed")
    func afterClose() throws {
        let peer = try connect("ada")
        let conversation = try peer.createConversation()
        let late = MessageSendRequest(conversation: conversation, key: "late", text: "too late")
        let request = WireEncoding.text(OutgoingRequest(id: 99, .messageSend, late))
        let key = MaskingKey(word: 1)
        try peer.send(
            raw: WebSocketFrame.encode(.binary, [1, 2], key: key)
                + WebSocketFrame.encode(.text, request, key: key)
        )
        #expect(try peer.closeCode() == 1003)
        // A request sent now is executed later, since each takes the conversation's lock.
        let other = try connect("ada")
        let question = try other.say("in time", in: conversation).message.id
        let messages = try other.messages(of: conversation)
        #expect(messages.contains { $0.id == question })
        #expect(!messages.contains { $0.text == "too late" })
    }

    @Test("a frame without a mask closes with 1002")
    func unmaskedFrame() throws {
        let peer = try connect("ada")
        try peer.send(raw: WebSocketFrame.encode(text: "{}"))
        #expect(try peer.closeCode() == 1002)
    }
}
