// The looks of the page: its main views beside stored pictures, and the pictures of the documentation.

import ChatProtocol
import FoundationEssentials
import TestSupport
import Testing

extension EndToEnd.InABrowser {
    @Suite(
        "The page's looks",
        .enabled(
            if: BrowserDriver.whatIsMissing == nil,
            "needs chromium and chromedriver: make setup installs them"
        )
    )
    struct ThePagesLooks {
        private static let isWriting =
            ProcessInfo.processInfo.environment["STOA_WRITE_PICTURES"] != nil
        /// What a stored picture may differ by, in grey levels of 255; measured in
        /// Tests/Pictures/README.md.
        private static let tolerance = (mean: 0.6, block: 40.0, count: 8.0)
        private static let main = "Moving the nightly backup"

        @Test("each main view looks like its stored picture")
        func comparison() throws {
            let stage = try Stage()
            let browser = stage.browser
            var taken: [(name: String, png: [UInt8])] = []
            func take(_ name: String) throws { taken.append((name, try stage.picture())) }

            try browser.open(stage.server.origin)
            try browser.wait("document.querySelector('#sign-in-form').checkVisibility()")
            try checkFont(in: browser)
            try take("sign-in")
            try browser.signIn("Ada", on: stage.server)
            try stage.open(Self.main)
            try take("conversation")
            try stage.show(Stage.desk, theme: "dark")
            try take("conversation-dark")
            try stage.show(Stage.phone)
            try take("phone-conversation")
            try browser.click("#drawer-open")
            try take("phone-list")
            try stage.show(Stage.desk)
            try openOverview(in: browser)
            try browser.script(Self.withoutFigures)
            try take("administration")
            try openShared(stage)
            try take("shared")

            // Without the page's policy.
            try browser.open("about:blank")
            for (name, png) in taken { try compare(name, png, in: browser) }
        }

        @Test(
            "pictures for the documentation",
            .enabled(if: isWriting, "make pictures takes them")
        )
        func documentation() throws {
            let stage = try Stage()
            let browser = stage.browser
            func take(_ name: String) throws {
                let path = "\(SharedFiles.packageRoot)/docs/pictures/\(name).png"
                try Data(stage.picture()).write(to: URL(filePath: path))
            }
            try browser.signIn("Ada", on: stage.server)
            try stage.open(Self.main)
            try take("conversation-light")
            try stage.show(Stage.desk, theme: "dark")
            try take("conversation-dark")
            try stage.show(Stage.phone)
            try take("phone")
            try stage.show(Stage.desk)
            try openOverview(in: browser)
            try take("administration")

            try browser.script(
                "localStorage.setItem('stoa.language', 'el');"
                    + "return fetch('/api/v1/session', { method: 'DELETE' }).then(() => null)"
            )
            try browser.signIn("Eleni", on: stage.server)
            try stage.open("Εκδρομή στους Δελφούς")
            try take("greek")
        }

        // MARK: Views

        private func openOverview(in browser: Browser) throws {
            try browser.script("location.hash = 'administration'")
            try browser.wait(#"document.querySelector('[data-check="database reachable"]')"#)
            try browser.wait(
                "document.querySelector('[data-testid=facts]').textContent.includes('running')"
            )
        }

        /// Replaces what depends on the machine and the time.
        private static let withoutFigures = """
            const all = (selector) => document.querySelectorAll(`.administration ${selector}`);
            for (const node of all(".facts dd, .plain-list, .hint, [data-testid=verdict]")) {
                node.textContent = "as it is";
            }
            for (const node of all(".checks, details")) node.remove();
            """

        private func openShared(_ stage: Stage) throws {
            let ada = try stage.server.connect(stage.server.signIn("Ada"))
            let conversation = try stage.conversation(Self.main)
            let share: ShareReply = try ada.call(
                .shareCreate,
                ShareCreateRequest(conversation: conversation)
            )
            try stage.browser.open("about:blank")
            try stage.browser.open("\(stage.server.origin)/#shared=\(share.token)")
            try stage.browser.wait(
                "document.querySelector('[data-testid=shared-messages]')?.children.length === 4"
            )
        }

        // MARK: Comparison

        /// Fails if the pictures would show another font.
        private func checkFont(in browser: Browser) throws {
            let isThere = try browser.script(
                """
                const context = document.createElement("canvas").getContext("2d");
                const width = (font) => {
                    context.font = `16px ${font}`;
                    return context.measureText("Stoa").width;
                };
                return width("Inter, monospace") !== width("monospace");
                """
            )
            guard isThere == true else {
                throw HarnessError("the font Inter is missing: make setup installs it")
            }
        }

        /// Compares a screenshot with the stored picture, or stores it.
        private func compare(_ name: String, _ png: [UInt8], in browser: Browser) throws {
            let path = SharedFiles.picturePath("references/\(name).png")
            let stored = Self.isWriting ? nil : try? Data(contentsOf: URL(filePath: path))
            let result = try browser.script(
                String(decoding: SharedFiles.picture("compare.js"), as: UTF8.self),
                [
                    .string(Data(png).base64EncodedString()),
                    .string(stored?.base64EncodedString() ?? ""), .number(Self.tolerance.block),
                ]
            )
            guard !Self.isWriting else { return try write(result["picture"], to: path) }
            if let mean = result["mean"].number, let count = result["count"].number,
                mean <= Self.tolerance.mean, count <= Self.tolerance.count
            {
                return
            }
            let folder = "\(SharedFiles.packageRoot)/.build/pictures"
            try FileManager.default.createDirectory(
                atPath: folder,
                withIntermediateDirectories: true
            )
            try Data(png).write(to: URL(filePath: "\(folder)/\(name).png"))
            try write(result["difference"], to: "\(folder)/\(name)-difference.png")
            let figures = ["isOtherSize", "mean", "worst", "count"].map { "\($0) \(result[$0])" }
            Issue.record(
                """
                \(name) does not look like Tests/Pictures/references/\(name).png: \
                \(figures.joined(separator: ", ")); see .build/pictures/\(name).png and \
                \(name)-difference.png. If it should look so: make pictures
                """
            )
        }

        private func write(_ base64: JSON, to path: String) throws {
            guard let text = base64.text, let data = Data(base64Encoded: text) else { return }
            try data.write(to: URL(filePath: path))
        }
    }
}
