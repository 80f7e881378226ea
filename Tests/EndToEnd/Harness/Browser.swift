// A browser window with a profile of its own.

import FoundationEssentials
import HTTPProtocol
import TestSupport

/// A Chromium window.
final class Browser {
    private let driver: BrowserDriver
    private let session: String

    /// Opens a window.
    init(_ driver: BrowserDriver, width: Int = 1280, height: Int = 800) throws {
        self.driver = driver
        let arguments: [JSON] = [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            "--no-first-run", "--disable-background-networking", "--lang=en-GB",
            .string("--window-size=\(width),\(height)"),
        ]
        let value = try driver.command(
            .post,
            "/session",
            [
                "capabilities": [
                    "alwaysMatch": [
                        "browserName": "chrome",
                        "goog:loggingPrefs": ["browser": "ALL"],
                        "goog:chromeOptions": [
                            "args": .array(arguments)
                        ],
                    ]
                ]
            ]
        )
        guard let session = value["sessionId"].text else { throw HarnessError("no session") }
        self.session = session
        try debug(
            "Browser.setDownloadBehavior",
            ["behavior": "allow", "downloadPath": .string(driver.folder.path)]
        )
        // The command takes the outer size of the window; the size of the page is wanted.
        try command(
            "/window/rect",
            ["width": .number(Double(width)), "height": .number(Double(height))]
        )
        let inner = try script("return [innerWidth, innerHeight]").elements.compactMap(\.number)
        if inner.count == 2 {
            let outer = (Double(2 * width) - inner[0], Double(2 * height) - inner[1])
            try command("/window/rect", ["width": .number(outer.0), "height": .number(outer.1)])
        }
    }

    deinit { _ = try? driver.command(.delete, "/session/\(session)") }

    // MARK: Pages

    func open(_ url: String) throws { try command("/url", ["url": .string(url)]) }

    func reload() throws { try command("/refresh") }

    /// Minimizes the window: the page is hidden, and has no focus.
    func minimize() throws { try command("/window/minimize") }

    /// A screenshot of the window, as PNG.
    func screenshot() throws -> [UInt8] {
        let text = try driver.command(.get, "/session/\(session)/screenshot").text ?? ""
        guard let data = Data(base64Encoded: text) else { throw HarnessError("no picture") }
        return Array(data)
    }

    /// Sends a command of the debugger's protocol.
    @discardableResult
    func debug(_ name: String, _ parameters: JSON) throws -> JSON {
        let body: JSON = ["cmd": .string(name), "params": parameters]
        return try driver.command(.post, "/session/\(session)/goog/cdp/execute", body)
    }

    /// Warnings and errors on the page's console.
    func complaints() throws -> [String] {
        let entries = try command("/se/log", ["type": "browser"]).elements
        return entries.filter { $0["level"] == "SEVERE" || $0["level"] == "WARNING" }
            .compactMap { $0["message"].text }
    }

    // MARK: Elements

    /// Clicks an element, which must be visible and not covered.
    func click(_ selector: String) throws {
        try wait("document.querySelector(\(quoted(selector)))?.checkVisibility()")
        try onceAtRest { try command("/element/\(element(selector))/click") }
    }

    /// Types into an element. "\n" is the Enter key.
    func type(_ text: String, into selector: String) throws {
        try wait("document.querySelector(\(quoted(selector)))?.checkVisibility()")
        let keys = text.replacing("\n", with: "\u{E007}")
        try onceAtRest {
            try command("/element/\(element(selector))/value", ["text": .string(keys)])
        }
    }

    /// Types like a keyboard: into what has the focus, which is the body if nothing else has it.
    func press(_ keys: String) throws {
        try onceAtRest {
            let active = try driver.command(.get, "/session/\(session)/element/active")
            guard let id = active["element-6066-11e4-a52e-4f735466cecf"].text else {
                throw HarnessError("nothing has the focus")
            }
            let keys = keys.replacing("\n", with: "\u{E007}")
            try command("/element/\(id)/value", ["text": .string(keys)])
        }
    }

    /// The text of an element as the page shows it.
    func text(_ selector: String) throws -> String {
        try onceAtRest {
            let target = "/session/\(session)/element/\(try element(selector))/text"
            return try driver.command(.get, target).text ?? ""
        }
    }

    /// Finds the element again if the page replaced it before it was used, and waits while another
    /// element covers it, as during animations.
    @discardableResult
    private func onceAtRest<Value>(_ use: () throws -> Value) throws -> Value {
        let deadline = Deadline(.seconds(20))
        while true {
            do { return try use() } catch let error as WebDriverError
                where error.isOfMotion && !deadline.isOver
            {
                pauseBriefly()
            }
        }
    }

    private func element(_ selector: String) throws -> String {
        let value = try command(
            "/element",
            ["using": "css selector", "value": .string(selector)]
        )
        guard let id = value["element-6066-11e4-a52e-4f735466cecf"].text else {
            throw HarnessError("no element \(selector)")
        }
        return id
    }

    // MARK: Scripts

    /// Runs the body of a function in the page; waits for a promise.
    @discardableResult
    func script(_ body: String, _ arguments: [JSON] = []) throws -> JSON {
        try command("/execute/sync", ["script": .string(body), "args": .array(arguments)])
    }

    /// Waits in the page until `expression` is true, and returns its value.
    @discardableResult
    func wait(_ expression: String, within duration: Duration = .patience) throws -> JSON {
        let deadline = Deadline(duration)
        while true {
            do {
                let value = try look(for: expression, within: .seconds(10))
                if value != .null { return value }
            } catch let error as WebDriverError where error.isOfLeaving {
                // The page that was searched has been replaced by another.
                pauseBriefly()
            }
            guard deadline.isOver else { continue }
            let page = try script("return document.body.innerText").text ?? ""
            let complaints = try complaints().joined(separator: "\n")
            throw HarnessError("not within \(duration): \(expression)\n\(page)\n\(complaints)")
        }
    }

    /// Evaluates `expression` at each change of the document and at each frame; null if it does not
    /// become true. Keep it short: WebDriver limits a script to half a minute.
    private func look(for expression: String, within duration: Duration) throws -> JSON {
        let milliseconds = duration / .milliseconds(1)
        return try script(
            """
            return new Promise((resolve) => {
                const holds = () => { const value = \(expression); return value; };
                const end = performance.now() + \(milliseconds);
                const observer = new MutationObserver(look);
                function look() {
                    const value = holds();
                    if (!value && performance.now() < end) return false;
                    observer.disconnect();
                    resolve(value || null);
                    return true;
                }
                function again() { if (!look()) setTimeout(again, 15); }
                observer.observe(document, {
                    subtree: true, childList: true, attributes: true, characterData: true,
                });
                again();
            });
            """
        )
    }

    @discardableResult
    private func command(_ target: String, _ body: JSON = [:]) throws -> JSON {
        try driver.command(.post, "/session/\(session)\(target)", body)
    }
}

/// `text` as a JavaScript literal.
func quoted(_ text: String) -> String {
    let data = try? JSONEncoder().encode([text])
    return String(
        data.map { String(decoding: $0, as: UTF8.self) }?.dropFirst().dropLast() ?? "\"\""
    )
}
