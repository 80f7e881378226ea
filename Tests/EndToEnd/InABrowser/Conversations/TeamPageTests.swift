// Teams on the page: creating, joining by a link, working in, and leaving them.

import ChatProtocol
import TestSupport
import Testing

extension EndToEnd.ConversationsInABrowser {
    @Suite(
        "Teams on the page",
        .enabled(
            if: BrowserDriver.whatIsMissing == nil,
            "needs chromium and chromedriver: make setup installs them"
        ),
        .server(users: ["ada", "bo"], ["--team-creation", "everyone"])
    )
    struct TeamsOnThePage {
        @Test("a link lets a teammate join, who joins open conversations; removal ends it all")
        func team() throws {
            let server = try SharedServer.server()
            let driver = try BrowserDriver()
            let ada = try Browser(driver)
            try ada.signIn("ada", on: server)
            let link = try makeTeam(ada)
            #expect(link.contains("/#team-invite="), "the token is sent to the server")

            // A conversation created while the team is selected belongs to the team; its owner
            // opens it.
            try ada.script(Self.chooseTeam)
            try ada.click("#new-conversation")
            try ada.type("Bread or rolls?\n", into: "#composer-text")
            try ada.wait(Page.answer(1, is: "complete"))
            #expect(try ada.text("#conversation-note").contains("Bakers"))
            try ada.click("#conversation-menu-button")
            try ada.click("#menu-settings")
            try ada.click("#settings-team-open")
            try ada.click("#settings-save")
            try ada.wait("!document.querySelector('#settings-dialog').open")

            // The link survives the sign-in, and is removed from the address.
            let bo = try Browser(driver)
            try bo.open(link)
            try bo.type("bo", into: "#sign-in-name")
            #expect(try bo.script("return location.hash") == "")
            try bo.type("\(server.password(of: "bo"))\n", into: "#sign-in-password")
            try bo.click("#confirm-yes")
            try bo.click("#team-conversations button")
            try bo.wait(Page.answer(1, is: "complete"))
            #expect(try bo.texts() == ada.texts())

            try ada.click("#team-open")
            try ada.click("#team-members [data-user-name=bo] button")
            try ada.click("#confirm-yes")
            try bo.wait("document.querySelectorAll('#conversation-list li').length === 0")
            try bo.wait("!document.querySelector('#team-switcher').checkVisibility()")
            // The page asks the server why it left the list before it closes the conversation.
            try bo.wait("document.querySelectorAll('#messages > li').length === 0")
            #expect(try ada.complaints() == [])
        }

        @Test("changes of a team, and of one's role in it, are shown at once")
        func live() throws {
            let server = try SharedServer.server()
            let ada = try SharedServer.connect("ada")
            let made: TeamReply = try ada.call(
                .teamCreate,
                TeamCreateRequest(key: "m", name: "Millers")
            )
            let team = made.team.id
            let invite: TeamInviteReply = try ada.call(.teamInvite, TeamInviteRequest(team: team))
            let bo = try Browser(BrowserDriver())
            try bo.signIn("bo", on: server)
            let elsewhere = try SharedServer.connect("bo")
            let token = TeamJoinRequest(token: invite.token)
            _ = try elsewhere.call(.teamJoin, token, as: TeamReply.self)
            func isOffered(_ name: String) -> String {
                "[...document.querySelectorAll('#team-chooser option')]"
                    + ".some(({ text }) => text === '\(name)')"
            }
            try bo.wait(isOffered("Millers"))
            try bo.script(
                "[...document.querySelectorAll('#team-chooser option')]"
                    + ".find(({ text }) => text === 'Millers').selected = true;"
                    + "document.querySelector('#team-chooser').dispatchEvent(new Event('change'))"
            )
            try bo.click("#team-open")
            try bo.wait("document.querySelectorAll('#team-members li').length === 2")

            let rename = TeamUpdateRequest(team: team, name: "Millers and bakers")
            _ = try ada.call(.teamUpdate, rename, as: TeamReply.self)
            try bo.wait(isOffered("Millers and bakers"))
            let heading = "document.querySelector('#team-heading').textContent"
            try bo.wait("\(heading) === 'Millers and bakers'")
            let retention = TeamRetentionRequest(team: team, days: 30)
            _ = try ada.call(.teamRetention, retention, as: EmptyReply.self)
            let lead = "document.querySelector('#team-lead').textContent"
            try bo.wait("\(lead).includes('30 days')")
            let members: TeamGetReply = try ada.call(.teamGet, TeamPageRequest(team: team))
            let user = try #require(members.members.first { $0.user.name == "bo" }?.user.id)
            let demotion = TeamMemberUpdateRequest(team: team, user: user, role: .viewer)
            _ = try ada.call(.teamMemberUpdate, demotion, as: TeamMemberReply.self)
            try bo.wait("\(lead).includes('You may read')")

            let removal = TeamMemberRemoveRequest(team: team, user: user)
            _ = try ada.call(.teamMemberRemove, removal, as: EmptyReply.self)
            try bo.wait("!document.querySelector('#team-dialog').open")
            try bo.wait("!\(isOffered("Millers and bakers"))")
            try bo.wait("document.querySelector('#toast').textContent.includes('not in the team')")
            #expect(try bo.complaints() == [])
        }

        @Test("a conversation is moved to a team in its settings")
        func giving() throws {
            let server = try SharedServer.server()
            let made: TeamReply = try SharedServer.connect("ada").call(
                .teamCreate,
                TeamCreateRequest(key: "g", name: "Gardeners")
            )
            let ada = try Browser(BrowserDriver())
            try ada.signIn("ada", on: server)
            try ada.click("#new-conversation")
            try ada.type("Peas or beans?\n", into: "#composer-text")
            try ada.wait(Page.answer(1, is: "complete"))
            try ada.click("#conversation-menu-button")
            try ada.click("#menu-settings")
            try ada.wait("document.querySelector('#settings-team').checkVisibility()")
            try ada.script("document.querySelector('#settings-team').value = '\(made.team.id)'")
            try ada.click("#settings-save")
            let note = "document.querySelector('#conversation-note').textContent"
            try ada.wait("\(note).includes('Gardeners')")
            #expect(try ada.complaints() == [])
        }

        /// Creates a team and an invite link; returns the link.
        private func makeTeam(_ browser: Browser) throws -> String {
            try browser.click("#teams-open")
            try browser.type("Bakers\n", into: "#team-new-name")
            try browser.click("#team-links summary")
            try browser.click("#team-link-make")
            try browser.wait("document.querySelector('#team-link').value")
            let link = try browser.script("return document.querySelector('#team-link').value")
            try browser.click("#team-done")
            return link.text ?? ""
        }

        private static let chooseTeam = """
            const chooser = document.querySelector("#team-chooser");
            chooser.value = chooser.options[1].value;
            chooser.dispatchEvent(new Event("change"));
            """
    }
}
