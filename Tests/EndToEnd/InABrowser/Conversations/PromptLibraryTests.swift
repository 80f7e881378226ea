// Prompt libraries: by WebSocket, in a terminal, and on the page.

import ChatProtocol
import HTTPProtocol
import TestSupport
import Testing

extension EndToEnd.ConversationsInABrowser {
    @Suite(
        "Libraries of prompts",
        .server(users: ["ada", "bo"], ["--team-creation", "everyone"])
    )
    struct PromptLibraries {
        /// Creates a team of Ada's with Bo as a member.
        private func makeTeam(_ ada: Peer, _ bo: Peer) throws -> TeamID {
            let made: TeamReply = try ada.call(
                .teamCreate,
                TeamCreateRequest(key: "t", name: "Bakers")
            )
            let invite: TeamInviteReply = try ada.call(
                .teamInvite,
                TeamInviteRequest(team: made.team.id)
            )
            let join = TeamJoinRequest(token: invite.token)
            return try bo.call(.teamJoin, join, as: TeamReply.self).team.id
        }

        @Test("a team's prompt is edited by its members, and answers' receipts name its version")
        func together() throws {
            let server = try SharedServer.server()
            let ada = try SharedServer.connect("ada")
            let bo = try SharedServer.connect("bo")
            let team = try makeTeam(ada, bo)
            let text = "You are a helpful assistant."
            let create = PromptCreateRequest(key: "p", team: team, name: "Plain", text: "You help.")
            let made: PromptReply = try ada.call(.promptCreate, create)
            let update = PromptUpdateRequest(prompt: made.prompt.id, text: text, version: 1)
            let changed: PromptReply = try bo.call(.promptUpdate, update)
            #expect(changed.prompt.version == 2)
            let stale = PromptUpdateRequest(prompt: made.prompt.id, text: "Mine.", version: 1)
            #expect(try ada.refusal(.promptUpdate, stale) == .conflict)
            let list: PromptListReply = try ada.call(.promptList, PromptListRequest(team: team))
            #expect(list.prompts == [changed.prompt])
            let request = PromptVersionsRequest(prompt: made.prompt.id)
            let versions: PromptVersionsReply = try ada.call(.promptVersions, request)
            #expect(versions.versions.map(\.text) == [text, "You help."])

            let both = ConversationCreateRequest(
                key: "c",
                systemPrompt: "x",
                library: LibraryChoice(prompt: made.prompt.id)
            )
            #expect(try bo.refusal(.conversationCreate, both) == .badRequest)
            let begin = ConversationCreateRequest(
                key: "c",
                library: LibraryChoice(prompt: made.prompt.id),
                team: team
            )
            let place: ConversationReply = try bo.call(.conversationCreate, begin)
            #expect(place.conversation.systemPrompt == text)
            let source = LibraryVersion(prompt: made.prompt.id, version: 2, name: "Plain")
            #expect(place.conversation.systemPromptVersion?.library == source)
            var mirror = try bo.watch(place.conversation.id)
            let sent = try bo.say("What is 2 + 3?", in: place.conversation.id)
            try bo.follow(&mirror, until: sent.answer.id)
            let token = try #require(SharedServer.tokens["bo"])
            let receipt = try server.get(
                "/api/v1/conversations/\(place.conversation.id)/messages/\(sent.answer.id)/receipt",
                headers: [.authorization: "Bearer \(token)"]
            )
            let told = try receipt.decode(as: JSON.self)["system_prompt"]["library"]
            #expect(told["version"] == 2, "\(receipt.text)")
            #expect(told["name"] == "Plain")

            // The same library in a terminal.
            let (end, _, errors) = try server.command(
                [
                    "chat", "--server", server.origin, "--user", "bo", "--password-stdin",
                    "\(place.conversation.id)",
                ],
                input: """
                    \(server.password(of: "bo"))
                    /prompts 1
                    /prompts
                    /prompts 1
                    /prompts use 1

                    """
            )
            #expect(end == .exited(0), "\(errors)")
            for line in [
                "No number 1 in the last /prompts.", "1. Plain (version 2, the team's)",
                text, "The system prompt is now “Plain”.",
            ] {
                #expect(errors.contains(line), "\(errors)")
            }
            let remove = PromptDeleteRequest(prompt: made.prompt.id)
            _ = try ada.call(.promptDelete, remove, as: EmptyReply.self)
            let left: PromptListReply = try bo.call(.promptList, PromptListRequest(team: team))
            #expect(left.prompts.isEmpty)
        }

        @Test(
            "on the page a text is saved in the library, and used in another conversation",
            .enabled(
                if: BrowserDriver.whatIsMissing == nil,
                "needs chromium and chromedriver: make setup installs them"
            )
        )
        func page() throws {
            let server = try SharedServer.server()
            let page = try Browser(BrowserDriver())
            try page.signIn("ada", on: server)
            func openLibrary() throws {
                try page.click("#conversation-menu-button")
                try page.click("#menu-settings")
                try page.click("#settings-library summary")
            }
            func save() throws {
                try page.click("#settings-save")
                try page.wait("!document.querySelector('#settings-dialog').open")
            }
            let row = "document.querySelector('#library-list [data-prompt-name=Loud]')"
            try page.click("#new-conversation")
            let first = try page.conversation()
            try openLibrary()
            try page.click("#settings-server-prompt")
            try page.script("document.querySelector('#settings-system-prompt').value = '';")
            try page.type("Answer in upper case.", into: "#settings-system-prompt")
            try page.type("Loud\n", into: "#library-name")
            try page.wait("\(row) !== null")
            let isOpen = "return document.querySelector('#settings-dialog').open"
            #expect(try page.script(isOpen).bool == true)
            try save()
            // An empty conversation is reused as the new one.
            try page.type("What is 2 + 3?\n", into: "#composer-text")
            try page.wait(Page.answer(1, is: "complete"))

            try page.click("#new-conversation")
            try page.wait("!location.hash.includes('\(first)')")
            let second = try page.conversation()
            try openLibrary()
            try page.wait("\(row) !== null")
            try page.click("#library-list [data-prompt-name=Loud] button")
            let text = "document.querySelector('#settings-system-prompt').value"
            try page.wait("\(text) === 'Answer in upper case.'")
            try save()
            let ada = try SharedServer.connect("ada")
            let request = ConversationRequest(conversation: second)
            let reply: ConversationReply = try ada.call(.conversationGet, request)
            #expect(reply.conversation.systemPromptVersion?.library?.name == "Loud")
            try openLibrary()
            let version = "document.querySelector('#settings-prompt-version').textContent"
            try page.wait("\(version).includes('from “Loud” (version 1)')")
            try page.wait("\(row) !== null")
            try page.click("#library-list [data-prompt-name=Loud] button:last-child")
            try page.click("#confirm-yes")
            try page.wait("\(row) === null")
            #expect(try page.complaints() == [])
        }

        @Test(
            "a prompt with variables asks for their values",
            .enabled(
                if: BrowserDriver.whatIsMissing == nil,
                "needs chromium and chromedriver: make setup installs them"
            )
        )
        func variables() throws {
            let bo = try SharedServer.connect("bo")
            let text = "Answer {{name}} in {{ language }}. Be kind to {{name}}."
            let create = PromptCreateRequest(key: "v", name: "Greeter", text: text)
            _ = try bo.call(.promptCreate, create, as: PromptReply.self)
            let page = try Browser(BrowserDriver())
            try page.signIn("bo", on: SharedServer.server())
            try page.click("#new-conversation")
            try page.click("#conversation-menu-button")
            try page.click("#menu-settings")
            try page.click("#settings-library summary")
            try page.click("#library-list [data-prompt-name=Greeter] button")

            let fields = "[...document.querySelectorAll('[data-testid=prompt-value]')]"
            try page.wait(
                "\(fields).map((field) => field.dataset.variable).join() === 'name,language'"
            )
            try page.type("Ann", into: "[data-variable=name]")
            // A missing value keeps the dialog open.
            try page.click("[data-testid=prompt-values-use]")
            #expect(try page.script("return \(fields).length") == 2)
            try page.type("Finnish", into: "[data-variable=language]")
            try page.click("[data-testid=prompt-values-use]")
            try page.wait(
                "document.querySelector('#settings-system-prompt').value"
                    + " === 'Answer Ann in Finnish. Be kind to Ann.'"
            )
            try page.click("#settings-save")
            try page.wait("!document.querySelector('#settings-dialog').open")
            #expect(try page.complaints() == [])
        }
    }
}
