// The user that runs PostgreSQL: our own, or, if we are root (as which PostgreSQL refuses to run),
// an unprivileged system user.

import FoundationEssentials
import Glibc

/// The system user that the cluster's programs run as.
struct ClusterAccount: Sendable, Equatable {
    let name: String
    let user: uid_t
    let group: gid_t
    /// Whether it is another user than ours.
    let differsFromOurs: Bool

    /// The user of this process.
    static var ours: ClusterAccount {
        let user = geteuid()
        return ClusterAccount(
            name: userName(user),
            user: user,
            group: getegid(),
            differsFromOurs: false
        )
    }

    /// Chooses the user for the cluster in `folder`: the owner of existing data; otherwise our own;
    /// for root `postgres`, or `nobody` if that does not exist.
    static func choose(for folder: String) throws(ClusterError) -> ClusterAccount {
        let ours = geteuid()
        let data = try status(of: "\(folder)/data")
        if ours != 0 {
            if let data, data.st_uid != ours {
                throw .folderOwnedByOther(folder: folder, owner: userName(data.st_uid))
            }
            return .ours
        }
        if let data, data.st_uid != 0 {
            // The name is not looked up: files of a volume may belong to a user without a name
            // here.
            return ClusterAccount(
                name: userName(data.st_uid),
                user: data.st_uid,
                group: data.st_gid,
                differsFromOurs: true
            )
        }
        for name in ["postgres", "nobody"] {
            if let account = lookUp({ getpwnam_r(name, $0, $1, $2, $3) }) { return account }
        }
        throw .noUnprivilegedUser
    }

    /// Changes the owner of `path` to this user; does nothing if it is our own.
    func takeOwnership(of path: String) throws(ClusterError) {
        guard differsFromOurs else { return }
        guard lchown(path, user, group) == 0 else {
            throw .system(operation: "chown", path: path, errno: errno)
        }
    }

    private static func userName(_ user: uid_t) -> String {
        lookUp { getpwuid_r(user, $0, $1, $2, $3) }?.name ?? "user \(user)"
    }

    private typealias PasswordQuery = (
        UnsafeMutablePointer<passwd>, UnsafeMutablePointer<CChar>, Int,
        UnsafeMutablePointer<UnsafeMutablePointer<passwd>?>
    ) -> Int32

    private static func lookUp(_ query: PasswordQuery) -> ClusterAccount? {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16384) { buffer in
            guard let text = buffer.baseAddress,
                query(&entry, text, buffer.count, &found) == 0, found != nil, entry.pw_uid != 0
            else { return nil }
            return ClusterAccount(
                name: String(cString: entry.pw_name),
                user: entry.pw_uid,
                group: entry.pw_gid,
                differsFromOurs: entry.pw_uid != geteuid()
            )
        }
    }
}
