// The list on all of a user's devices stays in sync.

import ChatProtocol
import TestSupport
import Testing

extension EndToEnd.ConversationsInABrowser {
    @Suite(
        "The list on the page",
        .enabled(
            if: BrowserDriver.whatIsMissing == nil,
            "needs chromium and chromedriver: make setup installs them"
        ),
        .server(users: ["ada", "bo"], ["--lease-seconds", "3"])
    )
    struct TheListOnThePage {
        /// A row of the list by its position, from 1 on, or the row of a conversation.
        private func row(_ number: Int) -> String {
            "document.querySelectorAll('#conversation-list button')[\(number - 1)]"
        }

        private func row(_ conversation: ConversationID) -> String {
            "document.querySelector('#conversation-list [data-conversation-id=\"\(conversation)\"]')"
        }

        private func title(_ row: String, is title: String) -> String {
            "\(row)?.querySelector('.title').textContent === \(quoted(title))"
        }

        @Test("what one device pins comes first on both, with a mark, until it is unpinned")
        func pins() throws {
            let server = try SharedServer.server()
            let driver = try BrowserDriver()
            let (desk, phone) = (try Browser(driver), try Browser(driver))
            let ada = try SharedServer.connect("ada")
            let tea = try ada.createConversation(title: "Pinned tea")
            let milk = try ada.createConversation(title: "Other milk")
            for device in [desk, phone] { try device.signIn("ada", on: server) }
            try desk.click("[data-conversation-id=\"\(tea)\"]")
            for (isPinned, item) in [(true, "Unpin"), (false, "Pin")] {
                try desk.click("#conversation-menu-button")
                try desk.click("#menu-pin")
                for device in [desk, phone] {
                    try device.wait(
                        "(\(row(tea)).querySelector('.pinned') !== null) === \(isPinned)"
                    )
                    try device.wait(
                        "(\(row(tea)).compareDocumentPosition(\(row(milk)))"
                            + " & Node.DOCUMENT_POSITION_FOLLOWING) === \(isPinned ? 4 : 0)"
                    )
                }
                try desk.wait("document.querySelector('#menu-pin-text').textContent === '\(item)'")
            }
            for device in [desk, phone] { #expect(try device.complaints() == []) }
        }

        @Test("two devices of one user and a teammate see additions, moves, reading and removals")
        func devices() throws {
            let server = try SharedServer.server()
            let driver = try BrowserDriver()
            let desk = try Browser(driver)
            let phone = try Browser(driver)
            try desk.signIn("ada", on: server)
            try phone.signIn("ada", on: server)
            let bo = try SharedServer.connect("bo")

            // Created by a teammate without a browser: it appears on both devices.
            let conversation = try bo.createConversation(title: "Tea")
            let add = MemberAddRequest(conversation: conversation, user: "ada")
            _ = try bo.call(.memberAdd, add, as: MemberReply.self)
            for device in [desk, phone] { try device.wait(title(row(conversation), is: "Tea")) }

            // Answers run longer than list changes are merged, and are unread on both devices until
            // one of them reads them.
            try desk.script(Self.watchForRunning)
            var mirror = try bo.watch(conversation)
            let answers = try (0..<6).map { _ in
                try bo.say("Tell me a long story.", in: conversation).answer.id
            }
            try bo.follow(&mirror, until: answers[5])
            for device in [desk, phone] {
                try device.wait("\(row(conversation))?.dataset.unread === '12'")
                try device.wait("\(row(conversation))?.dataset.running === undefined")
            }
            #expect(try desk.script("return window.wasRunning") == true)
            try desk.click("[data-conversation-id=\"\(conversation)\"]")
            try desk.wait(Page.answer(1, is: "complete"))
            for device in [desk, phone] {
                try device.wait("\(row(conversation))?.dataset.unread === undefined")
            }

            // A conversation created on one device is first on the other; a message moves its row
            // up.
            try desk.click("#new-conversation")
            let own = try desk.conversation()
            try phone.wait("\(row(1))?.dataset.conversationId === '\(own)'")
            _ = try bo.ask("What is 2 + 3?", in: conversation, &mirror)
            for device in [desk, phone] {
                try device.wait("\(row(1))?.dataset.conversationId === '\(conversation)'")
            }

            // Renamed and deleted, on both.
            let rename = ConversationUpdateRequest(conversation: conversation, title: "Green tea")
            _ = try bo.call(.conversationUpdate, rename, as: ConversationReply.self)
            for device in [desk, phone] { try device.wait(title(row(1), is: "Green tea")) }
            let request = ConversationRequest(conversation: conversation)
            _ = try bo.call(.conversationDelete, request, as: EmptyReply.self)
            for device in [desk, phone] { try device.wait("\(row(conversation)) === null") }
            #expect(try desk.complaints() == [])
            #expect(try phone.complaints() == [])
        }

        @Test("a device that was offline receives only the changes that it missed")
        func away() throws {
            let server = try SharedServer.server()
            let device = try Browser(BrowserDriver())
            try device.signIn("ada", on: server)
            let bo = try SharedServer.connect("bo")
            let kept = try bo.createConversation(title: "Kept")
            let lost = try bo.createConversation(title: "Lost")
            for conversation in [kept, lost] {
                let add = MemberAddRequest(conversation: conversation, user: "ada")
                _ = try bo.call(.memberAdd, add, as: MemberReply.self)
                try device.wait("\(row(conversation)) !== null")
            }
            // The request of a device that reconnects.
            try device.script(Self.noteLists)
            try server.kill()
            try server.start()
            let back = try SharedServer.connect("bo")
            let rename = ConversationUpdateRequest(conversation: kept, title: "Renamed")
            _ = try back.call(.conversationUpdate, rename, as: ConversationReply.self)
            let request = ConversationRequest(conversation: lost)
            _ = try back.call(.conversationDelete, request, as: EmptyReply.self)
            try device.wait(title(row(kept), is: "Renamed"))
            try device.wait("\(row(lost)) === null")
            let asked = try device.script("return window.lists").elements
            #expect(asked.allSatisfy { $0["after"].number != nil }, "\(asked)")
        }

        /// Records whether a row ever had the mark of a running answer.
        private static let watchForRunning = """
            window.wasRunning = false;
            new MutationObserver(() => {
                if (document.querySelector("#conversation-list [data-running]")) {
                    window.wasRunning = true;
                }
            }).observe(document.querySelector("#conversation-list"), {
                subtree: true, childList: true,
            });
            """

        /// Records each `conversation.list` that the page sends from now on.
        private static let noteLists = """
            window.lists = [];
            const send = WebSocket.prototype.send;
            WebSocket.prototype.send = function (text) {
                const frame = JSON.parse(text);
                if (frame.op === "conversation.list") window.lists.push(frame);
                send.call(this, text);
            };
            """
    }
}
