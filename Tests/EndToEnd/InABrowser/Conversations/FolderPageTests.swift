// Folders and tags in the list of the page.

import ChatProtocol
import TestSupport
import Testing

extension EndToEnd.ConversationsInABrowser {
    @Suite(
        "Folders on the page",
        .enabled(
            if: BrowserDriver.whatIsMissing == nil,
            "needs chromium and chromedriver: make setup installs them"
        ),
        .server(users: ["ada"])
    )
    struct FoldersOnThePage {
        private static let folder = "document.querySelector('.folder-toggle')"

        private func isShown(_ conversation: ConversationID, _ isShown: Bool) -> String {
            "(document.querySelector('\(Page.listRow(of: conversation))') !== null) === \(isShown)"
        }

        @Test("a conversation is put into a new folder and tagged, on all devices, and found there")
        func journey() throws {
            let server = try SharedServer.server()
            let driver = try BrowserDriver()
            let (desk, phone) = (try Browser(driver), try Browser(driver))
            let ada = try SharedServer.connect("ada")
            let tea = try ada.createConversation(title: "Filed tea")
            let milk = try ada.createConversation(title: "Other milk")
            for device in [desk, phone] {
                try device.signIn("ada", on: server)
                try device.wait(isShown(tea, true))
            }
            try desk.choose("organise", of: tea)
            try desk.wait("document.querySelector('#organise-folder') !== null")
            try desk.script(
                """
                const chooser = document.querySelector("#organise-folder");
                chooser.value = "new";
                chooser.dispatchEvent(new Event("change"));
                """
            )
            try desk.type("Kitchen", into: "#organise-name")
            try desk.type("green, to read\n", into: "#organise-tags")

            // Both devices have the folder, which is closed at first.
            for device in [desk, phone] {
                try device.wait("\(Self.folder)?.querySelector('.title').textContent === 'Kitchen'")
                try device.wait(isShown(tea, false))
                try device.wait(isShown(milk, true))
            }
            try phone.click(".folder-toggle")
            try phone.wait(isShown(tea, true))
            try phone.wait(
                """
                [...document.querySelectorAll('\(Page.listRow(of: tea)) .tag')]
                    .map((tag) => tag.textContent).join("|") === "green|to read"
                """
            )

            // A tag shows what has it, without folders, and the others again.
            try phone.click("#tag-bar .tag")
            try phone.wait("\(Self.folder) === null")
            try phone.wait(isShown(milk, false))
            try phone.click("#tag-bar .tag")
            try phone.wait(isShown(milk, true))

            // A deleted folder keeps its conversation.
            try desk.choose("delete", ofRow: ".folder-toggle")
            try desk.click("#confirm-yes")
            for device in [desk, phone] {
                try device.wait("\(Self.folder) === null")
                try device.wait(isShown(tea, true))
                #expect(try device.complaints() == [])
            }
        }
    }
}
