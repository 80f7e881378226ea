// Keys of remote engines. They are read on the server that uses them, and never stored, sent to
// clients, or logged.

import FoundationEssentials

enum RemoteEngineKey {
    /// The key of an engine, from its file or its environment variable; nil if it needs none. No
    /// message contains it.
    /// - Throws: `StartupError`, which says what to do.
    static func read(
        _ setting: RemoteEngineSetting,
        _ environment: [String: String]
    ) throws(StartupError) -> String? {
        let text: String
        if let file = setting.keyFile {
            guard let data = FileManager.default.contents(atPath: file) else {
                throw StartupError(
                    .noInput,
                    "\(file), the key-file of remote engine \(setting.label), cannot be read"
                )
            }
            text = String(decoding: data, as: UTF8.self)
        } else if let variable = setting.keyVariable {
            text = environment[variable] ?? ""
        } else {
            return nil
        }
        let key = text.split(whereSeparator: \.isWhitespace).first.map(String.init) ?? ""
        guard !key.isEmpty, key.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw StartupError(
                .configuration,
                "the key of remote engine \(setting.label) is empty, or has characters that no "
                    + "header can have: check \(setting.keyFile ?? setting.keyVariable ?? "")"
            )
        }
        return key
    }
}
