// What each kind of user does on the page, with what happens in real life in the middle of it: a reload,
// a restart of the server, a lost network.

import ChatProtocol
import TestSupport
import Testing

/// What happens in the middle of a journey.
private enum Interruption: CaseIterable {
    case reload
    case restart
    case lostNetwork
}

extension Browser {
    fileprivate func endure(_ interruption: Interruption, of server: StoaServer) throws {
        switch interruption {
        case .reload: try reload()
        case .restart:
            try server.kill()
            try server.start()
        case .lostNetwork:
            try setOnline(false)
            try script(
                """
                window.lost = [...(window.sockets ?? [])];
                for (const socket of window.lost) socket.close();
                """
            )
            try wait("!navigator.onLine")
            try setOnline(true)
            try wait("navigator.onLine")
            // Until then the page takes them for live.
            try wait("window.lost.every(({ readyState }) => readyState === WebSocket.CLOSED)")
        }
    }

    /// Makes the page remember its WebSockets: going offline does not end them in Chromium.
    fileprivate func rememberSockets() throws {
        let source = """
            window.sockets = [];
            window.WebSocket = class extends WebSocket {
                constructor(...parts) {
                    super(...parts);
                    window.sockets.push(this);
                }
            };
            """
        try debug("Page.addScriptToEvaluateOnNewDocument", ["source": .string(source)])
    }

    fileprivate func setOnline(_ isOnline: Bool) throws {
        try debug("Network.enable", [:])
        try debug(
            "Network.emulateNetworkConditions",
            [
                "offline": .bool(!isOnline), "latency": 0, "downloadThroughput": -1,
                "uploadThroughput": -1,
            ]
        )
    }

    /// Asks for a story for each interruption, which comes while it is written, and compares what is
    /// shown afterwards with what is stored. `count` is the number of answers so far.
    fileprivate func askThroughInterruptions(after count: Int, _ server: StoaServer) throws {
        for (index, interruption) in Interruption.allCases.enumerated() {
            let number = count + index + 1
            try type("Tell me a long story.\n", into: "#composer-text")
            try wait(Page.answer(number, grows: true))
            try endure(interruption, of: server)
            try wait(Page.answer(number, is: "complete"))
            try waitForConnection()
        }
        #expect(try texts() == server.stored(self).map(\.text))
    }

    fileprivate func waitForConnection() throws {
        try wait("document.querySelector('#connection-state').dataset.connection === 'live'")
    }

    /// Makes the page think that its user has come back to it.
    fileprivate func comeBack() throws {
        try script("document.dispatchEvent(new Event('visibilitychange'))")
    }
}

extension EndToEnd.WholePageInABrowser {
    @Suite(
        "Journeys",
        .enabled(
            if: BrowserDriver.whatIsMissing == nil,
            "needs chromium and chromedriver: make setup installs them"
        ),
        .server(
            users: ["ada", "bo"],
            administrator: "root",
            ["--team-creation", "everyone", "--lease-seconds", "3"]
        )
    )
    struct Journeys {
        private static let messages =
            "[...document.querySelectorAll('[data-testid=\"shared-message\"]')]"

        @Test("a newcomer keeps the link over a reload, and what they ask over whatever happens")
        func newcomer() throws {
            let server = try StoaServer(["--lease-seconds", "3"], isFirstStart: true)
            let browser = try Browser(BrowserDriver())
            try browser.rememberSockets()
            try browser.open(server.signUpLink())
            try browser.wait("document.querySelector('#sign-in-form').checkVisibility()")
            // A restarted server without users prints another link.
            for interruption in [Interruption.lostNetwork, .reload] {
                try browser.endure(interruption, of: server)
                try browser.wait("document.querySelector('#sign-in-form')?.checkVisibility()")
            }
            try browser.type("eve", into: "#sign-in-name")
            try browser.type("\(server.password(of: "eve"))\n", into: "#sign-in-password")
            try browser.wait("document.querySelector('#new-conversation').checkVisibility()")
            try browser.waitForConnection()
            try browser.askThroughInterruptions(after: 0, server)
        }

        @Test("a teammate comes by an invitation, and works on, whatever happens")
        func teammate() throws {
            let server = try SharedServer.server()
            let ada = try SharedServer.connect("ada")
            let made: TeamReply = try ada.call(
                .teamCreate,
                TeamCreateRequest(key: "j", name: "Joiners")
            )
            let invite: TeamInviteReply = try ada.call(
                .teamInvite,
                TeamInviteRequest(team: made.team.id)
            )
            let browser = try Browser(BrowserDriver())
            try browser.rememberSockets()
            try browser.open("\(server.origin)/#team-invite=\(invite.token)")
            try browser.wait("document.querySelector('#sign-in-form').checkVisibility()")
            try browser.reload()
            try browser.type("bo", into: "#sign-in-name")
            try browser.type("\(server.password(of: "bo"))\n", into: "#sign-in-password")
            // Nobody has answered the question yet.
            for interruption in Interruption.allCases {
                try browser.wait("document.querySelector('#confirm-dialog').open")
                try browser.endure(interruption, of: server)
                try browser.waitForConnection()
            }
            try browser.click("#confirm-yes")
            try browser.wait("document.querySelector('#team-heading').textContent === 'Joiners'")
            try browser.click("#team-done")
            try browser.click("#new-conversation")
            try browser.askThroughInterruptions(after: 0, server)
            #expect(try browser.text("#conversation-note").contains("Joiners"))
        }

        @Test("an administrator's section loads again, whatever happens")
        func administrator() throws {
            let server = try SharedServer.server()
            let browser = try Browser(BrowserDriver())
            try browser.rememberSockets()
            try browser.signIn("root", on: server)
            try browser.click("#administration-open")
            try browser.click("[data-section=users]")
            let table = "document.querySelector('.administration table')"
            for interruption in Interruption.allCases {
                try browser.wait("\(table)?.textContent.includes('ada')")
                try browser.endure(interruption, of: server)
                try browser.waitForConnection()
            }
            try browser.click("[data-testid=user-new]")
            try browser.type("dora\n", into: "[data-testid=user-new-name]")
            try browser.wait("document.querySelector('[data-testid=link]')")
            try browser.click("[data-testid=dialog-done]")
            try browser.wait("\(table)?.textContent.includes('dora')")
        }

        @Test("a stranger reads a live link on, and a snapshot as it was, whatever happens")
        func strangers() throws {
            let server = try SharedServer.server()
            var ada = try SharedServer.connect("ada")
            let place = try ada.createConversation(title: "Bread")
            var mirror = try ada.watch(place)
            _ = try ada.ask("What is 2 + 3?", in: place, &mirror)
            let live: ShareReply = try ada.call(
                .shareCreate,
                ShareCreateRequest(conversation: place)
            )
            let driver = try BrowserDriver()
            let owner = try Browser(driver)
            try owner.signIn("ada", on: server)
            try owner.wait("document.querySelector('\(Page.listRow(of: place))') !== null")
            try owner.choose("share", of: place)
            try owner.click("[data-testid=share-snapshot]")
            try owner.click("[data-testid=share-make]")
            let link = try owner.wait("document.querySelector('#share-address').value").text ?? ""
            try owner.wait("document.querySelectorAll('[data-testid=share-row]').length === 2")
            let note = try owner.text("[data-testid=share-row]")
            #expect(note.contains("As it was then") && note.contains("made by ada today"))

            let (reader, visitor) = (try Browser(driver), try Browser(driver, width: 390))
            for browser in [reader, visitor] { try browser.rememberSockets() }
            try reader.open("\(server.origin)/#shared=\(live.token)")
            try visitor.open(link)
            for (index, interruption) in Interruption.allCases.enumerated() {
                ada = try SharedServer.connect("ada")
                mirror = try ada.watch(place)
                _ = try ada.ask("What is 4 + 5?", in: place, &mirror)
                try reader.endure(interruption, of: server)
                if interruption != .restart { try visitor.endure(interruption, of: server) }
                try reader.wait("\(Self.messages).length === \(2 * index + 4)")
                try reader.wait("document.querySelector('#shared').dataset.state === 'live'")
                try visitor.comeBack()
                try visitor.wait("document.querySelector('#shared').dataset.state === 'still'")
                try visitor.wait("\(Self.messages).length === 2")
                let state = try visitor.text("[data-testid=shared-state]")
                #expect(state.hasPrefix("As of today"))
            }
            ada = try SharedServer.connect("ada")
            let rename = ConversationUpdateRequest(conversation: place, title: "Rye")
            _ = try ada.call(.conversationUpdate, rename, as: ConversationReply.self)
            try reader.wait(
                "document.querySelector('[data-testid=\"shared-title\"]').textContent === 'Rye'"
            )
            try visitor.reload()
            try visitor.wait("\(Self.messages).length === 2")
            #expect(try visitor.text("[data-testid=shared-title]") == "Bread")

            // What is deleted is gone when they come back, and then the link.
            let answer = try ada.messages(of: place)[1].id
            let deletion = MessageDeleteRequest(conversation: place, message: answer)
            _ = try ada.call(.messageDelete, deletion, as: MessageDeleteReply.self)
            try visitor.comeBack()
            try visitor.wait("\(Self.messages).length === 1")
            try owner.waitForConnection()
            try owner.click("[data-testid=share-revoke]")
            try owner.wait("document.querySelectorAll('[data-testid=share-row]').length === 1")
            try visitor.comeBack()
            try visitor.wait("document.querySelector('#shared').dataset.state === 'ended'")
            try visitor.wait("\(Self.messages).length === 0")
        }

        @Test("somebody on a phone finds their conversation as it is stored, whatever happens")
        func phone() throws {
            let server = try SharedServer.server()
            let browser = try Browser(BrowserDriver())
            try browser.rememberSockets()
            try browser.emulatePhone(width: 390)
            try browser.signIn("bo", on: server)
            try browser.type("What is 2 + 3?\n", into: "#composer-text")
            try browser.wait(Page.answer(1, is: "complete"))
            try browser.askThroughInterruptions(after: 1, server)
            let row = Page.listRow(of: try browser.conversation())
            try browser.click("#drawer-open")
            try browser.click(row)
            try browser.wait(Page.answer(4, is: "complete"))
        }
    }
}
