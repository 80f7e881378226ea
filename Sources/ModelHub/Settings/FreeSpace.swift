// Free space of a file system.

import Glibc

enum FreeSpace {
    /// The bytes that this user may still write to the file system of `folder`; nil if the system
    /// does not say.
    static func bytes(_ folder: String) -> Int? {
        var status = statvfs()
        guard statvfs(folder, &status) == 0 else { return nil }
        let (bytes, isTooMuch) = Int(status.f_bavail).multipliedReportingOverflow(
            by: Int(status.f_frsize)
        )
        return isTooMuch ? nil : bytes
    }
}
