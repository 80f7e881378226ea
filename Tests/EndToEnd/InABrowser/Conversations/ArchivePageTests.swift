// Archiving, deleting and restoring conversations on the page, and conversations that expire.

import ChatProtocol
import TestSupport
import Testing

extension EndToEnd.ConversationsInABrowser {
    @Suite(
        "Archiving and deleting on the page",
        .enabled(
            if: BrowserDriver.whatIsMissing == nil,
            "needs chromium and chromedriver: make setup installs them"
        ),
        .server(users: ["ada", "bo"])
    )
    struct ArchivingOnThePage {
        /// Two devices of Ada's with a conversation open on both.
        private struct Scene {
            let desk: Browser
            let phone: Browser
            let conversation: ConversationID
            private let driver: BrowserDriver

            init(title: String) throws {
                let server = try SharedServer.server()
                driver = try BrowserDriver()
                desk = try Browser(driver)
                phone = try Browser(driver)
                let ada = try SharedServer.connect("ada")
                conversation = try ada.createConversation(title: title)
                var mirror = try ada.watch(conversation)
                _ = try ada.ask("What is 2 + 3?", in: conversation, &mirror)
                for device in [desk, phone] {
                    try device.signIn("ada", on: server)
                    try device.click(row)
                    try device.wait(Page.answer(1, is: "complete"))
                }
            }

            var row: String {
                "#conversation-list [data-conversation-id=\"\(conversation)\"]"
            }

            var rowIsThere: String { "document.querySelector('\(row)') !== null" }

            /// Selects an item of the conversation's menu, on the desk.
            func choose(_ item: String) throws {
                try desk.click("#conversation-menu-button")
                try desk.click(item)
            }

            /// Restores the first entry of the account's list, on the desk, after checking it.
            func bringBack(expecting note: String) throws {
                try desk.click("#account-open")
                try desk.click("#archive-part summary")
                try desk.wait("document.querySelectorAll('#archive-list li').length === 1")
                #expect(try desk.text("#archive-list").contains(note))
                try desk.click("#archive-list button")
                try desk.wait("document.querySelector('#archive-none').checkVisibility()")
                try desk.click("#account-done")
            }
        }

        private static let mark = "document.querySelector('#conversation-archived')"

        @Test("an archived conversation leaves the list, stays open elsewhere, and returns")
        func archive() throws {
            let scene = try Scene(title: "Tea")
            let (desk, phone) = (scene.desk, scene.phone)
            try scene.choose("#menu-archive")
            for device in [desk, phone] { try device.wait("!(\(scene.rowIsThere))") }
            try desk.wait("!location.hash.includes('conversation')")
            try phone.wait("\(Self.mark).checkVisibility()")
            #expect(try phone.texts().count == 2)

            try desk.click("#toast [data-testid=\"undo\"]")
            for device in [desk, phone] { try device.wait(scene.rowIsThere) }
            #expect(try desk.conversation() == scene.conversation)
            try desk.wait(Page.answer(1, is: "complete"))
            try phone.wait("!\(Self.mark).checkVisibility()")

            try scene.choose("#menu-archive")
            try desk.wait("!(\(scene.rowIsThere))")
            try scene.bringBack(expecting: "Archived")
            for device in [desk, phone] { try device.wait(scene.rowIsThere) }

            // Writing in it brings it back into the list, and so does the menu item.
            for isSaid in [true, false] {
                try desk.click(scene.row)
                try desk.wait(Page.answer(1, is: "complete"))
                try scene.choose("#menu-archive")
                try phone.wait("\(Self.mark).checkVisibility()")
                if isSaid {
                    try phone.type("And 3 + 4?\n", into: "#composer-text")
                    try phone.wait(Page.answer(2, is: "complete"))
                } else {
                    try phone.click("#conversation-menu-button")
                    try phone.wait(
                        "document.querySelector('#menu-archive-text').textContent"
                            + " === 'Bring back to the list'"
                    )
                    try phone.click("#menu-archive")
                }
                for device in [desk, phone] { try device.wait(scene.rowIsThere) }
                try phone.wait("!\(Self.mark).checkVisibility()")
            }
            for device in [desk, phone] { #expect(try device.complaints() == []) }
        }

        @Test("a deleted conversation is gone everywhere, and is restored with all messages")
        func deletion() throws {
            let scene = try Scene(title: "Coffee")
            let (desk, phone) = (scene.desk, scene.phone)
            let texts = try desk.texts()
            try scene.choose("#menu-delete")
            try desk.click("#confirm-yes")
            for device in [desk, phone] {
                try device.wait("!(\(scene.rowIsThere))")
                try device.wait("!location.hash.includes('conversation')")
            }
            try phone.wait("document.querySelector('#toast').textContent.includes('deleted')")

            try desk.click("#toast [data-testid=\"undo\"]")
            for device in [desk, phone] { try device.wait(scene.rowIsThere) }
            try desk.wait(Page.answer(1, is: "complete"))
            #expect(try desk.texts() == texts)

            try scene.choose("#menu-delete")
            try desk.click("#confirm-yes")
            try desk.wait("!(\(scene.rowIsThere))")
            try scene.bringBack(expecting: "kept until")
            for device in [desk, phone] {
                try device.click(scene.row)
                try device.wait(Page.answer(1, is: "complete"))
                #expect(try device.texts() == texts)
            }
            try phone.type("And 3 + 4?\n", into: "#composer-text")
            for device in [desk, phone] {
                try device.wait(Page.answer(2, is: "complete"))
                #expect(try device.complaints() == [])
            }
        }

        @Test("temporary and archived conversations are marked, with the time of expiry")
        func temporary() throws {
            let server = try SharedServer.server()
            let bo = try SharedServer.connect("bo")
            let request = ConversationCreateRequest(key: "temporary", expiresIn: 3600)
            let made: ConversationReply = try bo.call(.conversationCreate, request)
            let conversation = made.conversation
            let end = try #require(conversation.expiresAt)
            let lifetime = end.milliseconds - conversation.createdAt.milliseconds
            #expect(abs(lifetime - 3_600_000) < 1000)
            #expect(conversation.archived == nil)

            let browser = try Browser(BrowserDriver())
            try browser.signIn("bo", on: server)
            let mark = "#conversation-list .temporary"
            try browser.wait(
                "document.querySelector('\(mark)')?.getAttribute('aria-label')?.startsWith('Ends ')"
            )
            try browser.click("#conversation-list button")
            try browser.wait("document.querySelector('#conversation-end').checkVisibility()")
            #expect(try browser.text("#conversation-end").hasPrefix("Ends to"))

            let archive = ConversationArchiveRequest(
                conversation: conversation.id,
                archived: true
            )
            _ = try bo.call(.conversationArchive, archive, as: EmptyReply.self)
            let place = ConversationRequest(conversation: conversation.id)
            let read: ConversationReply = try bo.call(.conversationGet, place)
            #expect(read.conversation.archived == true)
            try browser.wait("\(Self.mark).checkVisibility()")
            #expect(try browser.complaints() == [])
        }
    }
}
