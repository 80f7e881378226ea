// The page as pictures show it: the scene's conversations, at a fixed time, in fixed fonts, at rest.

import ChatProtocol
import FoundationEssentials
import TestSupport

/// A server with the scene, and a browser in which nothing depends on the machine or the time.
struct Stage {
    static let desk = (width: 1280, height: 800)
    static let phone = (width: 390, height: 760)

    let server: StoaServer
    let browser: Browser
    private let scene: Scene
    /// The model's folder, which the checks of the administration read.
    private let folder: TemporaryFolder
    private let conversations: [String: ConversationID]

    init() throws {
        scene = try Scene.stored()
        folder = try TemporaryFolder()
        let model = try EndToEnd.WithServersOfTheirOwn.TheModels.copyDemo(
            to: "\(folder.path)/phi-4-mini"
        )
        server = try StoaServer(["--model", model])
        conversations = try scene.play(on: server)
        browser = try Browser(BrowserDriver(), width: Self.desk.width, height: Self.desk.height)
        let script = String(decoding: try SharedFiles.picture("stage.js"), as: UTF8.self)
            .replacing("MOMENT", with: quoted(scene.moment))
        try browser.debug(
            "Page.addScriptToEvaluateOnNewDocument",
            ["source": .string(script)]
        )
        try browser.debug("Emulation.setTimezoneOverride", ["timezoneId": "UTC"])
        try browser.debug("Emulation.setScrollbarsHidden", ["hidden": true])
        try show(Self.desk)
    }

    /// Sets the size of the page in pixels, and the theme.
    func show(_ size: (width: Int, height: Int), theme: String = "light") throws {
        try browser.debug(
            "Emulation.setDeviceMetricsOverride",
            [
                "width": .number(Double(size.width)), "height": .number(Double(size.height)),
                "deviceScaleFactor": 1, "mobile": .bool(size.width < 600),
            ]
        )
        let features: [JSON] = [
            ["name": "prefers-color-scheme", "value": .string(theme)],
            ["name": "prefers-reduced-motion", "value": "reduce"],
        ]
        try browser.debug("Emulation.setEmulatedMedia", ["features": .array(features)])
    }

    func conversation(_ title: String) throws -> ConversationID {
        guard let id = conversations[title] else { throw HarnessError("no \(title) in the scene") }
        return id
    }

    /// Opens a conversation and waits for its answers.
    func open(_ title: String) throws {
        let address = "\(server.origin)/#conversation=\(try conversation(title))"
        try browser.open(address)
        let count = scene.conversations.first { $0.title == title }?.turns.count ?? 0
        try browser.wait(Page.answer(count, is: "complete"))
    }

    /// The window as PNG, once everything is at rest and all code is coloured.
    func picture() throws -> [UInt8] {
        try browser.wait("document.fonts.status === 'loaded'")
        try browser.wait("document.getAnimations().length === 0")
        try browser.wait(
            "[...document.querySelectorAll('#messages .code-block')]"
                + ".every((block) => block.querySelector('code span'))"
        )
        return try browser.screenshot()
    }
}
