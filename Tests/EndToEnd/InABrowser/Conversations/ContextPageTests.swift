// A conversation's system prompt and answers' receipts on the page.

import ChatProtocol
import TestSupport
import Testing

extension EndToEnd.ConversationsInABrowser.ThePageOfATeam {
    @Test("a system prompt has versions, can revert to the server's, and is in an answer's receipt")
    func promptsAndReceipts() throws {
        let server = try SharedServer.server()
        let browser = try Browser(BrowserDriver())
        try browser.signIn("ada", on: server)
        try browser.click("#new-conversation")
        try browser.type("What is 2 + 3?\n", into: "#composer-text")
        try browser.wait(Page.answer(1, is: "complete"))

        func openSettings() throws {
            try browser.click("#conversation-menu-button")
            try browser.click("#menu-settings")
        }
        let isClosed = "!document.querySelector('#settings-dialog').open"
        let version = "document.querySelector('#settings-prompt-version').textContent"
        try openSettings()
        let isServers = "return document.querySelector('#settings-server-prompt').checked"
        #expect(try browser.script(isServers).bool == true)
        try browser.click("#settings-server-prompt")
        try browser.script("document.querySelector('#settings-system-prompt').value = '';")
        try browser.type("Answer in upper case.", into: "#settings-system-prompt")
        try browser.script("document.querySelector('#settings-policy').value = 'summarize';")
        try browser.click("#settings-save")
        try browser.wait(isClosed)
        try browser.type("What is the capital of France?\n", into: "#composer-text")
        try browser.wait(Page.answer(2, is: "complete"))

        try browser.click(#"#messages > li:last-child [data-testid="show-receipt"]"#)
        let rows = "[...document.querySelectorAll('#receipt-rows tr')]"
        try browser.wait("\(rows).length === 5")
        let texts = try browser.script("return \(rows).map((row) => row.textContent)").elements
        #expect(texts[0].text?.contains("version 1 of this conversation's own") == true)
        #expect(texts[1].text?.contains("What is 2 + 3?") == true)
        #expect(texts[3].text?.contains("What is the capital of France?") == true)
        let lead = "document.querySelector('#receipt-lead').innerText"
        try browser.wait("\(lead).includes('tokens in all')")
        try browser.click("#receipt-dialog [data-close]")

        try openSettings()
        try browser.wait("\(version).includes('version 1 of this conversation')")
        let policy = "return document.querySelector('#settings-policy').value"
        #expect(try browser.script(policy).text == "summarize")
        try browser.click("#settings-prompts summary")
        let list = "document.querySelector('#settings-prompt-list').textContent"
        try browser.wait("\(list).includes('upper case')")
        try browser.click("#settings-server-prompt")
        let text = "document.querySelector('#settings-system-prompt').value"
        try browser.wait("\(text) === 'You are a helpful assistant.'")
        try browser.click("#settings-save")
        try browser.wait(isClosed)
        try openSettings()
        try browser.wait("\(version).includes(\"of the server's\")")
        #expect(try browser.complaints() == [])
    }
}
