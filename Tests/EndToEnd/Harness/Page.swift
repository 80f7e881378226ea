// Selectors and actions on Stoa's page.

import ChatProtocol
import HTTPProtocol

/// Expressions over the page's document.
enum Page {
    /// The answer with that number, from 1 on, or null.
    private static func row(_ number: Int) -> String {
        #"document.querySelectorAll('#messages [data-role="assistant"]')[\#(number - 1)]"#
    }

    /// The selector of a conversation's button in the list.
    static func listRow(of conversation: ConversationID) -> String {
        "#conversation-list [data-conversation-id=\"\(conversation)\"]"
    }

    /// Whether an answer has reached a state.
    static func answer(_ number: Int, is state: String) -> String {
        "\(row(number))?.dataset.state === \(quoted(state))"
    }

    /// Whether some of an answer's text is shown.
    static func answer(_ number: Int, grows: Bool) -> String {
        "(\(row(number))?.messageText.length > 0) === \(grows)"
    }

    /// Presses Stop as soon as some of a running answer is shown, and sets `window.hasStopped`: a
    /// click by the driver would be too late for such a fast model.
    static let stopWhenItGrows = """
        window.hasStopped = false;
        const observer = new MutationObserver(() => {
            const row = document.querySelector('#messages [data-state="streaming"]');
            const button = document.querySelector("#stop");
            if (!row?.messageText || !button.checkVisibility()) return;
            observer.disconnect();
            button.click();
            window.hasStopped = true;
        });
        observer.observe(document, {
            subtree: true, childList: true, characterData: true, attributes: true,
        });
        """
}

extension Browser {
    /// Opens the menu of a conversation's row in the list, and chooses an item.
    func choose(_ item: String, of conversation: ConversationID) throws {
        try choose(item, ofRow: Page.listRow(of: conversation))
    }

    /// Opens the menu of a row in the list, whose first button is `row`, and chooses an item.
    func choose(_ item: String, ofRow row: String) throws {
        try script("document.querySelector(\(quoted(row))).focus()")
        try click("\(row) + .row-menu-button")
        try click("#row-\(item)")
    }

    /// Opens the page and signs in.
    func signIn(_ name: String, on server: StoaServer) throws {
        try open(server.origin)
        try type(name, into: "#sign-in-name")
        try type(server.password(of: name), into: "#sign-in-password")
        try click("#sign-in-submit")
        try wait("document.querySelector('#new-conversation').checkVisibility()")
        // What is clicked without a connection waits for the first message.
        try wait("document.querySelector('#connection-state').dataset.connection === 'live'")
        // The failed session request before signing in is expected.
        _ = try complaints()
    }

    /// Stops a story on the page while it runs. Another device of the user asks for it, and halts
    /// the server once it has text: a story takes a tenth of a second, in which a busy page may
    /// draw nothing at all.
    /// - Parameters:
    ///   - count: number of answers so far.
    ///   - name: the user who is signed in.
    ///   - server: where the page is from.
    /// - Returns: the number of the stopped answer.
    /// - Throws: `HarnessError` if none was stopped.
    func stopStory(after count: Int, of name: String, on server: StoaServer) throws -> Int {
        let conversation = try conversation()
        let peer = try server.connect(server.signIn(name))
        var mirror = try peer.watch(conversation)
        for number in count + 1...count + 8 {
            let isStopped = Page.answer(number, is: "stopped")
            try script(Page.stopWhenItGrows)
            let answer = try peer.say("Tell me a long story.", in: conversation).answer.id
            try peer.follow(&mirror) { !$0.text(of: answer).isEmpty }
            server.whileHalted {
                // What the server had not sent to the page by then comes after the halt.
                _ = try? wait("window.hasStopped", within: .seconds(10))
            }
            try wait("\(isStopped) || \(Page.answer(number, is: "complete"))")
            if try script("return \(isStopped)") == true { return number }
            try peer.follow(&mirror, until: answer)
        }
        throw HarnessError("eight stories, and none was stopped")
    }

    /// The texts of the shown messages, as the page received them.
    func texts() throws -> [String] {
        try script(
            "return [...document.querySelectorAll('#messages > li')].map((row) => row.messageText)"
        ).elements.compactMap(\.text)
    }

    /// The open conversation.
    func conversation() throws -> ConversationID {
        let hash = try wait("location.hash.includes('conversation=') && location.hash").text ?? ""
        guard let id = ConversationID(String(hash.split(separator: "=").last ?? "")) else {
            throw HarnessError("no conversation in \(hash)")
        }
        return id
    }
}

extension StoaServer {
    /// The messages of the conversation that a browser has open, as the server exports them.
    func stored(_ browser: Browser) throws -> [Message] {
        let conversation = try browser.conversation()
        let text = try browser.script(
            "return fetch('/api/v1/conversations/\(conversation)/export?format=json')"
                + ".then((answer) => answer.text())"
        ).text
        let snapshot = try HTTPAnswer(
            head: HTTPResponseHead(.ok),
            body: Array((text ?? "").utf8)
        ).decode(as: ConversationSnapshot.self)
        return snapshot.messages
    }
}
