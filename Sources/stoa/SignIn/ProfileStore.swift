// Stores sign-ins in a file that only its owner can read, so that commands do not ask for the password
// each time.

import ChatServer
import EventLoop
import FoundationEssentials
package import HTTPProtocol

/// The profiles of one local user.
package struct ProfileStore: Sendable {
    /// The content of the file.
    private struct Content: Codable {
        /// The name of the profile that is used if no server is named.
        var current: String?
        var profiles: [Profile] = []
    }

    private let folder: String
    private var path: String { "\(folder)/profiles.json" }

    /// The store in the configuration folder of the XDG base directory specification; nil if the
    /// environment has no home.
    package init?(environment: [String: String]) {
        if let folder = environment["XDG_CONFIG_HOME"], folder.hasPrefix("/") {
            self.folder = "\(folder)/stoa"
        } else if let home = environment["HOME"], !home.isEmpty {
            folder = "\(home)/.config/stoa"
        } else {
            return nil
        }
    }

    /// The profile that is used if no server is named.
    package var current: Profile? {
        let content = load()
        return content.profiles.first { $0.name == content.current }
    }

    /// The profile with a name.
    package func profile(named name: String) -> Profile? {
        load().profiles.first { $0.name == name }
    }

    /// The sign-in of `user` at a server; for nil that of the current profile, or that of the
    /// server's only user.
    package func profile(at server: HTTPOrigin, user: String?) -> Profile? {
        let content = load()
        let found = content.profiles.filter { $0.isOf(server, user) }
        return found.first { $0.name == content.current } ?? (found.count == 1 ? found[0] : nil)
    }

    /// Stores a sign-in in the place of the same user's earlier one, which keeps its name unless
    /// the new one has another.
    /// - Parameters:
    ///   - profile: the sign-in.
    ///   - isCurrent: whether it becomes the current one; the first one always does.
    /// - Throws: `CommandFailure` if the file cannot be written.
    package func save(_ profile: Profile, isCurrent: Bool) throws(CommandFailure) {
        var content = load()
        content.profiles.removeAll { $0.name == profile.name }
        content.profiles.append(profile)
        if isCurrent || content.profiles.count == 1 { content.current = profile.name }
        try write(content)
    }

    /// Stores a new token of a user at a server.
    /// - Throws: `CommandFailure` if the file cannot be written.
    package func save(
        _ token: String,
        for server: HTTPOrigin,
        user: String
    ) throws(CommandFailure) {
        let name = load().profiles.first { $0.isOf(server, user) }?.name
        let profile = Profile(name: name, server: server, user: user, token: token)
        try save(profile, isCurrent: false)
    }

    /// Deletes a profile.
    /// - Throws: `CommandFailure` if the file cannot be written.
    package func remove(_ name: String) throws(CommandFailure) {
        var content = load()
        content.profiles.removeAll { $0.name == name }
        if content.current == name { content.current = content.profiles.last?.name }
        try write(content)
    }

    private func write(_ content: Content) throws(CommandFailure) {
        let bytes = (try? JSONEncoder().encode(content)).map { [UInt8]($0) } ?? []
        do throws(FileError) {
            try FileSystem.makeFolder(folder, mode: 0o700)
            // Written to a temporary file and renamed, so others can never read it.
            try FileSystem.write(bytes, to: path, mode: 0o600)
        } catch {
            throw CommandFailure(.cannotCreate, "the sign-in is not stored: \(error)")
        }
    }

    private func load() -> Content {
        guard let data = try? Data(contentsOf: URL(filePath: path)) else { return Content() }
        return (try? JSONDecoder().decode(Content.self, from: data)) ?? Content()
    }
}
