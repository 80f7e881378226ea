// Tokens of earlier sign-ins, in a file that only its owner can read, so that `stoa chat` need not ask
// for the password each time.

import FoundationEssentials
import Glibc
package import HTTPProtocol

/// The tokens of one user of this machine, by server and name.
package struct TokenStore: Sendable {
    private let folder: String
    private var path: String { "\(folder)/tokens.json" }

    /// The store below the state folder of the XDG base directory specification; nil where the
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

    /// The token of `user` on a server; of its only user, where none is named.
    package func token(for server: HTTPOrigin, user: String?) -> (user: String, token: String)? {
        guard let users = load()[server.description] else { return nil }
        guard let user else {
            return users.count == 1 ? users.first.map { ($0.key, $0.value) } : nil
        }
        return users[user].map { (user, $0) }
    }

    /// Keeps a token, or forgets it.
    /// - Throws: `CommandFailure` where the file cannot be written.
    package func save(
        _ token: String?,
        for server: HTTPOrigin,
        user: String
    ) throws(CommandFailure) {
        var all = load()
        all[server.description, default: [:]][user] = token
        guard let data = try? JSONEncoder().encode(all), write([UInt8](data)) else {
            throw CommandFailure(.cannotCreate, "the token cannot be kept in \(path)")
        }
    }

    private func load() -> [String: [String: String]] {
        guard let data = try? Data(contentsOf: URL(filePath: path)) else { return [:] }
        return (try? JSONDecoder().decode([String: [String: String]].self, from: data)) ?? [:]
    }

    /// Writes a new file beside the old one and puts it in its place: at no moment can others read it.
    private func write(_ bytes: [UInt8]) -> Bool {
        try? FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        let new = "\(path).\(getpid())"
        unlink(new)
        let descriptor = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return false }
        let count = Glibc.write(descriptor, bytes, bytes.count)
        guard Glibc.close(descriptor) == 0, count == bytes.count, rename(new, path) == 0 else {
            unlink(new)
            return false
        }
        return true
    }
}
