// The paths of the cluster's files.
//
//     FOLDER/data            PostgreSQL's own data directory
//     FOLDER/socket          the folder of its Unix socket, mode 0700: who gets in is the superuser
//     FOLDER/socket-folder   where the socket is instead, when FOLDER's path is too long for one
//     FOLDER/users.lock      held shared by every process that uses the cluster
//     FOLDER/change.lock     held while the cluster is being started or stopped
//     FOLDER/startup.log     what the server printed before its own logs in data/log began

import FoundationEssentials
import Glibc

/// The paths of one cluster.
struct ClusterFolders: Sendable, Equatable {
    let root: String

    var data: String { "\(root)/data" }
    var newData: String { "\(root)/data.new" }
    var usersLock: String { "\(root)/users.lock" }
    var changeLock: String { "\(root)/change.lock" }
    var startupLog: String { "\(root)/startup.log" }
    var log: String { "\(data)/log" }
    /// The folder of the socket while no server runs.
    var expectedSocketFolder: String {
        if usualSocketFolderIsShort { return usualSocketFolder }
        return textOfFile(socketFolderRecord) ?? usualSocketFolder
    }
    private var usualSocketFolder: String { "\(root)/socket" }
    /// A socket path has at most 107 bytes (`sun_path` in unix(7)).
    private var usualSocketFolderIsShort: Bool {
        usualSocketFolder.utf8.count + "/.s.PGSQL.5432".utf8.count <= 107
    }
    private var socketFolderRecord: String { "\(root)/socket-folder" }

    /// The major version that wrote the data, or nil if there is none.
    var dataVersion: Int? {
        textOfFile("\(data)/PG_VERSION").flatMap { Int($0.prefix { $0.isNumber }) }
    }

    /// The end of the newest log file of the server; may be empty.
    func endOfLog() -> String {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: log)) ?? []
        let files = names.map { "\(log)/\($0)" }
        let newest = files.max { modificationTime($0) < modificationTime($1) }
        guard let newest, let file = try? OwnedDescriptor(opening: newest, O_RDONLY) else {
            return ""
        }
        var bytes = [UInt8](repeating: 0, count: 2048)
        let size = lseek(file.number, 0, SEEK_END)
        let count = pread(file.number, &bytes, bytes.count, max(0, size - bytes.count))
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    private func modificationTime(_ path: String) -> Int {
        (try? status(of: path))?.st_mtim.tv_sec ?? 0
    }

    /// Creates the root folder, private to `account`, and checks that `account` can enter it.
    static func prepare(
        _ path: String,
        for account: ClusterAccount
    ) throws(ClusterError) -> ClusterFolders {
        // The server changes its working directory, so the path must be absolute.
        let absolute =
            path.hasPrefix("/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
        let folders = ClusterFolders(root: absolute)
        try makeFolder(absolute, mode: 0o700)
        try account.takeOwnership(of: absolute)
        if account.differsFromOurs {
            try ChildProcess(account: account, folder: absolute).run("/bin/true", [])
        }
        return folders
    }

    /// Returns the folder for the Unix socket, and creates it if it is missing.
    ///
    /// If the root's path is too long for a socket, creates a short folder in `temporaryFolder` and
    /// records it beside the data.
    func prepareSocketFolder(
        for account: ClusterAccount,
        temporaryFolder: String
    ) throws(ClusterError) -> String {
        if usualSocketFolderIsShort {
            try makeFolder(usualSocketFolder, mode: 0o700)
            try account.takeOwnership(of: usualSocketFolder)
            return usualSocketFolder
        }
        if let recorded = textOfFile(socketFolderRecord), isPrivate(recorded, to: account) {
            return recorded
        }
        var template = Array("\(temporaryFolder)/stoa-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw .system(operation: "mkdtemp", path: temporaryFolder, errno: errno)
        }
        let short = String(
            decoding: template.dropLast().map { UInt8(bitPattern: $0) },
            as: UTF8.self
        )
        try account.takeOwnership(of: short)
        try writeText(short, to: socketFolderRecord)
        return short
    }

    /// The parent of a short socket folder: the user's runtime folder if it exists, otherwise /tmp.
    static func shortTemporaryFolder(for account: ClusterAccount) -> String {
        guard !account.differsFromOurs,
            let runtime = ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"],
            runtime.hasPrefix("/"), runtime.utf8.count < 60, access(runtime, W_OK) == 0
        else { return "/tmp" }
        return runtime
    }

    /// Whether a folder in a shared location still belongs to us alone: after a cleaner has removed
    /// it anyone could create another one.
    private func isPrivate(_ folder: String, to account: ClusterAccount) -> Bool {
        var status = stat()
        guard lstat(folder, &status) == 0 else { return false }
        return status.st_mode & S_IFMT == S_IFDIR && status.st_mode & 0o077 == 0
            && status.st_uid == account.user
    }
}
