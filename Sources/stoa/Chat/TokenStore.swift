// Stores the tokens of sign-ins in a file that only its owner can read, so that `stoa chat` does not ask
// for the password each time.

import ChatServer
import EventLoop
import FoundationEssentials
package import HTTPProtocol

/// The tokens of one local user, by server and name.
package struct TokenStore: Sendable {
    private let folder: String
    private var path: String { "\(folder)/tokens.json" }

    /// The store in the state folder of the XDG base directory specification; nil if the
    /// environment has no home.
    package init?(environment: [String: String]) {
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") {
            folder = "\(state)/stoa"
        } else if let home = environment["HOME"], !home.isEmpty {
            folder = "\(home)/.local/state/stoa"
        } else {
            return nil
        }
    }

    /// The token of `user` on a server; for nil, that of the server's only user.
    package func token(for server: HTTPOrigin, user: String?) -> (user: String, token: String)? {
        guard let users = load()[server.description] else { return nil }
        guard let user else {
            return users.count == 1 ? users.first.map { ($0.key, $0.value) } : nil
        }
        return users[user].map { (user, $0) }
    }

    /// Stores a token, or deletes it.
    /// - Throws: `CommandFailure` if the file cannot be written.
    package func save(
        _ token: String?,
        for server: HTTPOrigin,
        user: String
    ) throws(CommandFailure) {
        var all = load()
        all[server.description, default: [:]][user] = token
        let bytes = (try? JSONEncoder().encode(all)).map { [UInt8]($0) } ?? []
        do throws(FileError) {
            try FileSystem.makeFolder(folder, mode: 0o700)
            // Written to a temporary file and renamed, so others can never read it.
            try FileSystem.write(bytes, to: path, mode: 0o600)
        } catch {
            throw CommandFailure(.cannotCreate, "the sign-in is not stored: \(error)")
        }
    }

    private func load() -> [String: [String: String]] {
        guard let data = try? Data(contentsOf: URL(filePath: path)) else { return [:] }
        return (try? JSONDecoder().decode([String: [String: String]].self, from: data)) ?? [:]
    }
}
