// The lines typed in `stoa chat`, kept for the next time in a file that only its owner can read.

import ChatServer
import FoundationEssentials

struct ChatHistory {
    private static let countMax = 500
    private static let bytesMax = 4 << 20

    private let folder: String
    private var path: String { "\(folder)/history.json" }
    private(set) var lines: [String] = []

    /// The history in the state folder of the XDG base directory specification; nil if the
    /// environment has no home.
    init?(environment: [String: String] = ProcessInfo.processInfo.environment) {
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") {
            folder = "\(state)/stoa"
        } else if let home = environment["HOME"], !home.isEmpty {
            folder = "\(home)/.local/state/stoa"
        } else {
            return nil
        }
        guard let bytes = try? FileSystem.read(path, limit: Self.bytesMax) else { return }
        lines = (try? JSONDecoder().decode([String].self, from: Data(bytes))) ?? []
    }

    /// Adds a line, and stores the last ones. A history that cannot be stored is lost silently: no
    /// message depends on it.
    mutating func add(_ line: String) {
        guard !line.isEmpty, line != lines.last else { return }
        lines = (lines + [line]).suffix(Self.countMax)
        guard let json = try? JSONEncoder().encode(lines) else { return }
        try? FileSystem.makeFolder(folder, mode: 0o700)
        try? FileSystem.write([UInt8](json), to: path, mode: 0o600)
    }
}
