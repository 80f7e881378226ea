// Finds PostgreSQL's server programs where distributions install them. They are seldom in PATH.

import FoundationEssentials
import Glibc

/// The programs of an installed PostgreSQL.
struct ServerPrograms: Sendable, Equatable {
    let folder: String
    let version: Int

    var initdb: String { "\(folder)/initdb" }
    var postgres: String { "\(folder)/postgres" }

    /// The path of another program of the same installation.
    func program(_ name: String) -> String { "\(folder)/\(name)" }

    /// Finds the newest programs, or those of major version `version` if there is data of that
    /// version, which others cannot read.
    /// - Throws: `programsMissing`, which says what to install.
    static func find(
        in places: ProgramPlaces,
        version: Int?,
        account: ClusterAccount
    ) throws(ClusterError) -> ServerPrograms {
        var best: ServerPrograms?
        for folder in places.folders() {
            guard
                access("\(folder)/initdb", X_OK) == 0, access("\(folder)/postgres", X_OK) == 0,
                let found = majorVersion(ofProgramsIn: folder, account: account)
            else { continue }
            if let version, version != found { continue }
            // The first of equal versions is used: the distribution's own come before those in
            // PATH.
            if let best, best.version >= found { continue }
            best = ServerPrograms(folder: folder, version: found)
        }
        guard let best else {
            throw .programsMissing(searched: places.patterns, version: version)
        }
        return best
    }

    /// Asks the program: folder names may be wrong, and those in PATH have no version. The output
    /// has the form `postgres (PostgreSQL) 15.20 (Debian 15.20-0+deb12u1)`.
    private static func majorVersion(
        ofProgramsIn folder: String,
        account: ClusterAccount
    ) -> Int? {
        let child = ChildProcess(account: account, folder: "/")
        guard let answer = try? child.run("\(folder)/postgres", ["--version"]) else { return nil }
        guard let word = answer.split(separator: " ").first(where: { $0.first?.isNumber == true })
        else { return nil }
        return Int(word.prefix { $0.isNumber })
    }
}

/// The folders in which to look for PostgreSQL's programs.
public struct ProgramPlaces: Sendable, Equatable {
    /// Folders; `*` matches any text within one component.
    public var patterns: [String]

    /// The folders of Debian, of the PostgreSQL project's packages, of a build from source, and
    /// PATH.
    public static var usual: ProgramPlaces {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let fixed = ["/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/usr/local/pgsql/bin"]
        return ProgramPlaces(
            patterns: fixed + path.split(separator: ":").map(String.init).filter { $0.first == "/" }
        )
    }

    /// Creates a list of `patterns`.
    public init(patterns: [String]) { self.patterns = patterns }

    /// The folders that exist, in the order of the patterns.
    func folders() -> [String] {
        patterns.flatMap { pattern -> [String] in
            var found = glob_t()
            defer { globfree(&found) }
            guard glob(pattern, 0, nil, &found) == 0 else { return [] }
            return (0..<Int(found.gl_pathc)).compactMap { index in
                found.gl_pathv[index].map { String(cString: $0) }
            }
        }
    }
}
