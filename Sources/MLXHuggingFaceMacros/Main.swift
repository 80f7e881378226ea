// The compiler's plugin for the macros of MLXHuggingFace. Each macro is a function's call in other words,
// so its expansion is its own text with the function's name instead of the macro's: nothing is parsed, and
// swift-syntax is not needed.
//
// The compiler starts it, and writes messages to its standard input: 8 bytes, the length with the lowest
// byte first, then JSON (swift-syntax, SwiftCompilerPluginMessageHandling/PluginMessages.swift).

import Foundation
import Glibc

@main
enum Main {
    /// The functions behind the macros, by the types that their declarations name.
    private static let functions = [
        "HubDownloader": "MLXHuggingFace.makeHubDownloader",
        "TokenizerLoader": "MLXHuggingFace.PhiTokenizerLoader",
        "LoadContainer": "MLXHuggingFace.loadModelContainer",
        "LoadContext": "MLXHuggingFace.loadModel",
    ]

    static func main() throws {
        while let message = readMessage() {
            guard let text = try JSONSerialization.jsonObject(with: message) as? [String: Any]
            else { return }
            write(try JSONSerialization.data(withJSONObject: answer(to: text)))
        }
    }

    private static func answer(to message: [String: Any]) -> [String: Any] {
        guard let expansion = message["expandFreestandingMacro"] as? [String: Any] else {
            return ["getCapabilityResult": ["capability": ["protocolVersion": 7]]]
        }
        let macro = expansion["macro"] as? [String: Any]
        let syntax = expansion["syntax"] as? [String: Any]
        guard let type = macro?["typeName"] as? String, let function = functions[type],
            let source = syntax?["source"] as? String,
            let name = macro?["name"] as? String, let place = source.range(of: "#\(name)")
        else { return ["expandMacroResult": ["diagnostics": [] as [String]]] }
        return [
            "expandMacroResult": [
                "expandedSource": source.replacingCharacters(in: place, with: function),
                "diagnostics": [] as [String],
            ] as [String: Any]
        ]
    }

    // MARK: - Messages

    /// The next message; nil at the end.
    private static func readMessage() -> Data? {
        guard let head = readBytes(8) else { return nil }
        let length = head.reversed().reduce(0) { $0 << 8 | Int($1) }
        // A compiler that ends may leave an empty message.
        return length > 0 ? readBytes(length).map { Data($0) } : nil
    }

    private static func readBytes(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let added = bytes.withUnsafeMutableBytes { buffer in
                read(STDIN_FILENO, buffer.baseAddress.map { $0 + filled }, count - filled)
            }
            guard added > 0 else { return nil }
            filled += added
        }
        return bytes
    }

    private static func write(_ message: Data) {
        let length = (0..<8).map { UInt8(truncatingIfNeeded: message.count >> (8 * $0)) }
        FileHandle.standardOutput.write(Data(length) + message)
    }
}
