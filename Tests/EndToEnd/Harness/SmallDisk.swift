// A disk of some megabytes, which a test can fill.

import FoundationEssentials
import Glibc
import TestSupport

/// A disk in memory. It is unmounted with this object, or before.
final class SmallDisk {
    /// Whether this process may mount one.
    static let canBeMade: Bool = {
        guard geteuid() == 0, let folder = try? TemporaryFolder() else { return false }
        defer { umount(folder.path) }
        return Glibc.mount("tmpfs", folder.path, "tmpfs", 0, "size=64k") == 0
    }()

    let path: String
    private let folder: TemporaryFolder?

    /// Creates one with the owner of the file or folder at `owner`.
    init(mebibytes: Int, owner: String) throws {
        let folder = try TemporaryFolder()
        self.folder = folder
        chmod(folder.path, 0o755)
        path = "\(folder.path)/disk"
        guard mkdir(path, 0o700) == 0 else {
            throw HarnessError("no folder for the disk: errno \(errno)")
        }
        try mount(kibibytes: mebibytes * 1024, asOwnerOf: owner)
    }

    /// Replaces the folder at `path` by one with the same content.
    init(kibibytes: Int, insteadOf path: String) throws {
        folder = nil
        self.path = path
        let before = "\(path).before"
        guard rename(path, before) == 0, mkdir(path, 0o700) == 0 else {
            throw HarnessError("rename \(path): errno \(errno)")
        }
        try mount(kibibytes: kibibytes, asOwnerOf: before)
        let errors = try TemporaryFolder()
        let copy = try Program(
            "/bin/cp",
            ["-a", "\(before)/.", path],
            errorPath: "\(errors.path)/errors"
        )
        guard try copy.end().0 == .exited(0) else { throw HarnessError(copy.errorOutput) }
        try FileManager.default.removeItem(atPath: before)
    }

    private func mount(kibibytes: Int, asOwnerOf owner: String) throws {
        var status = stat()
        guard stat(owner, &status) == 0 else { throw HarnessError("stat \(owner): \(errno)") }
        let options =
            "size=\(kibibytes)k,mode=0700,uid=\(status.st_uid),gid=\(status.st_gid)"
        guard Glibc.mount("tmpfs", path, "tmpfs", 0, options) == 0 else {
            throw HarnessError("mount: errno \(errno)")
        }
    }

    deinit { unmount() }

    /// Removes it with its content.
    func unmount() { umount2(path, Int32(MNT_DETACH)) }

    private var filler: String { "\(path)/filler" }

    /// Fills the free space.
    func fill() throws {
        let descriptor = open(filler, O_WRONLY | O_CREAT, 0o600)
        guard descriptor >= 0 else { throw HarnessError("open: errno \(errno)") }
        defer { close(descriptor) }
        let bytes = [UInt8](repeating: 1, count: 4096)
        while write(descriptor, bytes, bytes.count) > 0 {}
        guard errno == ENOSPC else { throw HarnessError("write: errno \(errno)") }
    }

    /// Frees it again.
    func makeRoom() throws {
        guard unlink(filler) == 0 else { throw HarnessError("unlink: errno \(errno)") }
    }
}
