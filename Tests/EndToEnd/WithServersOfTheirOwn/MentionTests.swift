// Mentions in questions: sent over the socket, and marked on the page.

import ChatProtocol
import TestSupport
import Testing

extension EndToEnd.OneServer {
    @Test("a mentioned member gets the event, and a mark in the list until it is read")
    func mentions() throws {
        let ada = try connect("ada")
        let bo = try connect("bo")
        let tea = try ada.createConversation(title: "Tea")
        let add = MemberAddRequest(conversation: tea, user: "bo")
        _ = try ada.call(.memberAdd, add, as: MemberReply.self)
        var mirror = try bo.watch(tea)
        let said = try ada.say("@Bo, what is 2 + 3? Not `@bo`, nor @cy.", in: tea)
        #expect(said.message.mentions?.map(\.name) == ["bo"])
        var listed: Conversation?
        while listed?.mentions == nil {
            let event = try bo.nextEvent()
            if case .messageCreated(let made) = event, made.message.id == said.message.id {
                #expect(made.message.mentions == said.message.mentions)
            }
            if case .conversationListed(let news) = event, news.conversation == tea {
                listed = news.summary
            }
            try mirror.take(event)
        }
        #expect(listed?.mentions == 1)
        try bo.follow(&mirror, until: said.answer.id)
        let request = ConversationRequest(conversation: tea)
        let before: ConversationReply = try bo.call(.conversationGet, request)
        #expect(before.conversation.mentions == 1)
        let read = ConversationReadRequest(conversation: tea, n: before.conversation.n)
        _ = try bo.call(.conversationRead, read, as: ConversationReadReply.self)
        let after: ConversationReply = try bo.call(.conversationGet, request)
        #expect(after.conversation.mentions == nil)
        #expect(try bo.messages(of: tea).first?.mentions == said.message.mentions)
    }
}

extension EndToEnd.WithServersOfTheirOwn {
    @Suite(
        "Mentions on the page",
        .enabled(
            if: BrowserDriver.whatIsMissing == nil,
            "needs chromium and chromedriver: make setup installs them"
        ),
        .server(users: ["ada", "bo"])
    )
    struct MentionsOnThePage {
        @Test("a mention is marked in the list and in the question, until it is read")
        func marks() throws {
            let server = try SharedServer.server()
            let page = try Browser(BrowserDriver())
            try page.signIn("ada", on: server)
            let bo = try SharedServer.connect("bo")
            let tea = try bo.createConversation(title: "Tea")
            let add = MemberAddRequest(conversation: tea, user: "ada")
            _ = try bo.call(.memberAdd, add, as: MemberReply.self)
            let text = "Rye, @Ada, or wheat? I ask @bo, too."
            _ = try bo.say(text, in: tea)
            let row = "document.querySelector('[data-conversation-id=\"\(tea)\"]')"
            try page.wait("\(row)?.dataset.mentions === '1'")
            try page.click("[data-conversation-id=\"\(tea)\"]")
            try page.wait("document.querySelector('#messages .names-me .mention.of-me') !== null")
            #expect(try page.text("#messages .mention.of-me") == "@Ada")
            #expect(try page.texts().first == text)
            let marked = try page.script(
                "return document.querySelectorAll('#messages .mention').length"
            )
            #expect(marked == 1)
            try page.wait("\(row).dataset.mentions === undefined")
            #expect(try page.complaints() == [])
        }
    }
}
