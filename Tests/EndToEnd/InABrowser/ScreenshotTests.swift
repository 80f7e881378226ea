// The README's screenshot of the real page, for Tools/screenshot.sh.

import ChatProtocol
import FoundationEssentials
import Testing

extension EndToEnd.InABrowser {
    @Suite("The screenshot")
    struct ThePicture {
        /// The screenshot's path; nil except under Tools/screenshot.sh.
        static let path = ProcessInfo.processInfo.environment["STOA_SCREENSHOT"]

        @Test("of a team's conversation", .enabled(if: path != nil, "Tools/screenshot.sh takes it"))
        func picture() throws {
            let server = try StoaServer()
            for user in ["Ada", "Grace"] { try server.addUser(user) }
            let ada = try server.connect(server.signIn("Ada"))
            let grace = try server.connect(server.signIn("Grace"))
            for title in ["Shopping list", "Release notes", "Names for the robot"] {
                let conversation = try ada.createConversation(title: title)
                var mirror = try ada.watch(conversation)
                _ = try ada.ask("Hello!", in: conversation, &mirror)
            }
            let conversation = try ada.createConversation(title: "Getting to know Stoa")
            let add = MemberAddRequest(conversation: conversation, user: "Grace")
            _ = try ada.call(.memberAdd, add, as: MemberReply.self)
            var mirror = try ada.watch(conversation)
            let answer = try grace.say("How do I stop an answer?", in: conversation).answer.id
            try ada.follow(&mirror, until: answer)

            let browser = try Browser(BrowserDriver())
            try browser.signIn("Ada", on: server)
            try browser.open("\(server.origin)/#conversation=\(conversation)")
            try browser.wait(Page.answer(1, is: "complete"))
            try browser.type("Explain how Stoa answers a message.\n", into: "#composer-text")
            try browser.wait(Page.answer(2, is: "complete"))
            // Rows appear with an animation: the screenshot is taken after it.
            try browser.wait("document.getAnimations().length === 0")
            let path = try #require(Self.path)
            try Data(browser.screenshot()).write(to: URL(filePath: path))
        }
    }
}
