// What people do with conversations on the page: the menus of their rows, links for strangers,
// temporary conversations, and files.

import ChatProtocol
import TestSupport
import Testing

extension EndToEnd.ConversationsInABrowser {
    @Suite(
        "Conversations on the page",
        .enabled(
            if: BrowserDriver.whatIsMissing == nil,
            "needs chromium and chromedriver: make setup installs them"
        ),
        .server(users: ["ada", "bo"])
    )
    struct ConversationsOnThePage {
        private func title(of conversation: ConversationID) -> String {
            "document.querySelector('\(Page.listRow(of: conversation)) .title').textContent"
        }

        @Test("rows keep their nodes and the focus, and are renamed in place from their menu")
        func rows() throws {
            let server = try SharedServer.server()
            let browser = try Browser(BrowserDriver())
            try browser.signIn("ada", on: server)
            let ada = try SharedServer.connect("ada")
            let names = ["Assam", "Ceylon", "Darjeeling"]
            let conversations = try names.map { try ada.createConversation(title: $0) }
            for conversation in conversations {
                try browser.wait(
                    "document.querySelector('\(Page.listRow(of: conversation))') !== null"
                )
            }
            try browser.script(
                """
                window.rows = [...document.querySelectorAll("#conversation-list li")];
                window.changed = new Set();
                const note = ({ target }) => {
                    window.changed.add(target.closest("li") ?? "the list");
                };
                new MutationObserver((changes) => changes.forEach(note)).observe(
                    document.querySelector("#conversation-list"), { subtree: true, childList: true },
                );
                """
            )
            // What is focused stays focused while its row moves up.
            let first = Page.listRow(of: conversations[0])
            try browser.script("document.querySelector('\(first)').focus()")
            var mirror = try ada.watch(conversations[0])
            _ = try ada.ask("What is 2 + 3?", in: conversations[0], &mirror)
            try browser.wait(
                "document.querySelector('\(first)').compareDocumentPosition("
                    + "document.querySelector('\(Page.listRow(of: conversations[2]))'))"
                    + " & Node.DOCUMENT_POSITION_FOLLOWING"
            )
            #expect(
                try browser.script(
                    "return document.activeElement === document.querySelector('\(first)')"
                ) == true
            )
            let changed = try browser.script(
                "return [...window.changed].map((row) => row.innerText ?? row)"
            ).elements.compactMap(\.text)
            #expect(!changed.contains { $0.contains("Ceylon") || $0.contains("Darjeeling") })

            try browser.choose("rename", of: conversations[1])
            try browser.wait("document.activeElement.matches('.rename-field')")
            try browser.type("Ceylon tea\n", into: ".rename-field")
            try browser.wait("\(title(of: conversations[1])) === 'Ceylon tea'")
            #expect(
                try browser.script(
                    "return window.rows.every((row) => row.isConnected)"
                ) == true
            )
            let renamed: ConversationReply = try ada.call(
                .conversationGet,
                ConversationRequest(conversation: conversations[1])
            )
            #expect(renamed.conversation.title == "Ceylon tea")

            // Pinned from the row without being opened, and deleted with a way back.
            try browser.choose("pin", of: conversations[2])
            try browser.wait(
                "document.querySelector('#conversation-list li [data-conversation-id]')"
                    + " === document.querySelector('\(Page.listRow(of: conversations[2]))')"
            )
            try browser.choose("delete", of: conversations[1])
            try browser.click("#confirm-yes")
            try browser.wait(
                "document.querySelector('\(Page.listRow(of: conversations[1]))') === null"
            )
            try browser.click("#toast [data-testid=\"undo\"]")
            try browser.wait(
                "document.querySelector('\(Page.listRow(of: conversations[1]))') !== null"
            )
            #expect(try browser.complaints() == [])
        }

        @Test("a stranger reads a conversation live by its link, and loses it when it is revoked")
        func stranger() throws {
            let server = try SharedServer.server()
            let driver = try BrowserDriver()
            let (owner, stranger) = (try Browser(driver), try Browser(driver, width: 390))
            try owner.signIn("bo", on: server)
            let bo = try SharedServer.connect("bo")
            let conversation = try bo.createConversation(title: "Bread")
            var mirror = try bo.watch(conversation)
            _ = try bo.ask("What is 2 + 3?", in: conversation, &mirror)
            try owner.wait("document.querySelector('\(Page.listRow(of: conversation))') !== null")
            try owner.choose("share", of: conversation)
            try owner.click("[data-testid=\"share-make\"]")
            let link = try owner.wait("document.querySelector('#share-address').value").text ?? ""
            #expect(link.hasPrefix("\(server.origin)/#shared="))

            try stranger.open(link)
            let messages = "[...document.querySelectorAll('[data-testid=\"shared-message\"]')]"
            try stranger.wait("\(messages).length === 2")
            #expect(try stranger.text("#shared").contains("What is 2 + 3?"))
            #expect(try stranger.text("[data-testid=\"shared-title\"]") == "Bread")
            // A reload keeps the link, and what is written appears.
            try stranger.reload()
            try stranger.wait("\(messages).length === 2")
            let answer = try bo.ask("What is 4 + 5?", in: conversation, &mirror)
            try stranger.wait("\(messages)[3]?.dataset.state === 'complete'")
            let shown = try stranger.text("[data-testid=\"shared-message\"]:last-child .bubble")
            #expect(shown == answer)
            #expect(
                try stranger.script(
                    "return document.querySelector('#composer-text')"
                        + ".checkVisibility()"
                ) == false
            )

            try owner.click("[data-testid=\"share-revoke\"]")
            try stranger.wait("document.querySelector('#shared').dataset.state === 'ended'")
            try stranger.wait("\(messages).length === 0")
            #expect(!(try stranger.text("#shared").contains("2 + 3")))
            for browser in [owner, stranger] { #expect(try browser.complaints() == []) }
        }

        @Test("a temporary conversation is made beside the others, and exported with its progress")
        func temporary() throws {
            let server = try SharedServer.server()
            let driver = try BrowserDriver()
            let browser = try Browser(driver)
            try browser.signIn("ada", on: server)
            try browser.click("#new-temporary")
            try browser.click("#temporary-86400")
            let conversation = try browser.conversation()
            try browser.wait("document.querySelector('#conversation-end').checkVisibility()")
            let ada = try SharedServer.connect("ada")
            let made: ConversationReply = try ada.call(
                .conversationGet,
                ConversationRequest(conversation: conversation)
            )
            let end = try #require(made.conversation.expiresAt)
            let lifetime = end.milliseconds - made.conversation.createdAt.milliseconds
            #expect(abs(lifetime - 86_400_000) < 1000)

            try browser.choose("export", of: conversation)
            try browser.click("#export-json")
            let note =
                "document.querySelector('#export-dialog [data-testid=\"download-note\"]').textContent"
            try browser.wait("\(note).includes('is complete')")
            #expect(try browser.complaints() == [])
        }
    }
}
