// axe-core, which finds faults of accessibility in the page, and emulation of a phone and of themes.

import FoundationEssentials
import TestSupport
import Testing

/// axe-core (https://github.com/dequelabs/axe-core), which Tools/setup.sh fetches.
enum Axe {
    /// The script; nil if it has not been fetched.
    static let source: String? = {
        let path = "\(SharedFiles.packageRoot)/.build/tools/axe.min.js"
        guard let data = try? Data(contentsOf: URL(filePath: path)) else { return nil }
        return String(decoding: data, as: UTF8.self)
    }()

    static let whatIsMissing: String? =
        BrowserDriver.whatIsMissing
        ?? (source == nil ? "axe-core is missing: make setup fetches it" : nil)
}

extension Browser {
    /// What axe-core finds wrong in the page as it is shown now, one fault an element.
    func violations() throws -> [String] {
        // The page's policy forbids foreign scripts; the debugger's protocol does not ask it.
        try debug(
            "Runtime.evaluate",
            ["expression": .string("if (!globalThis.axe) {\n\(Axe.source ?? "")\n}\n0")]
        )
        let reply = try debug(
            "Runtime.evaluate",
            ["expression": .string(Self.run), "awaitPromise": true, "returnByValue": true]
        )
        if let text = reply["exceptionDetails"]["exception"]["description"].text {
            throw HarnessError(text)
        }
        return reply["result"]["value"].elements.compactMap(\.text)
    }

    /// Opens a view, and expects that axe-core finds nothing in it, in both themes.
    func audit(_ view: String, open: () throws -> Void) throws {
        try open()
        for scheme in ["dark", "light"] {
            try emulate(colorScheme: scheme)
            let found = try violations()
            #expect(found == [], "\(view), \(scheme)")
        }
    }

    /// Opens a dialog with all that it folds away, audits it, and closes it.
    func auditDialog(_ id: String, open: () throws -> Void) throws {
        try audit(id) {
            try open()
            try wait("document.querySelector('#\(id)[open]')")
            try script(
                "document.querySelectorAll('#\(id) details').forEach((part) => part.open = true)"
            )
        }
        try script(
            "document.querySelectorAll('dialog[open]').forEach((dialog) => dialog.close())"
        )
    }

    /// Emulates the preference for a color scheme, `light` or `dark`.
    func emulate(colorScheme: String) throws {
        let features: [JSON] = [["name": "prefers-color-scheme", "value": .string(colorScheme)]]
        try debug("Emulation.setEmulatedMedia", ["features": .array(features)])
    }

    /// Emulates a phone of that width, with a finger for a pointer.
    func emulatePhone(width: Int, height: Int = 700) throws {
        try debug(
            "Emulation.setDeviceMetricsOverride",
            [
                "width": .number(Double(width)), "height": .number(Double(height)),
                "deviceScaleFactor": 1, "mobile": true,
            ]
        )
        try debug("Emulation.setTouchEmulationEnabled", ["enabled": true])
    }

    /// Runs axe once what moves has come to rest: colours of half transparent texts would differ.
    private static let run = """
        (async () => {
            const ends = document.getAnimations()
                .filter((motion) => motion.effect.getTiming().iterations !== Infinity)
                .map((motion) => motion.finished.catch(() => null));
            await Promise.all(ends);
            const { violations } = await axe.run();
            return violations.flatMap(({ id, nodes }) => nodes.map(({ target, any, all, none }) =>
                `${id}: ${target.join(" ")}: ${[...any, ...all, ...none][0]?.message}`));
        })()
        """
}
