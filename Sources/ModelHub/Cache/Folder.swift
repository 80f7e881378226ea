// Folders and links, with errors that name them. Blocking.

import EventLoop
import FoundationEssentials
import Glibc

enum Folder {
    /// Makes a folder and those above it.
    static func make(_ path: String) throws(SystemError) {
        if mkdir(path, 0o777) == 0 || errno == EEXIST { return }
        guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else {
            throw .latest("make \(path)")
        }
        try make(String(path[..<slash]))
        guard mkdir(path, 0o777) == 0 || errno == EEXIST else { throw .latest("make \(path)") }
    }

    /// Has the names in a folder reach the disk.
    static func sync(_ path: String) throws(SystemError) {
        let descriptor = try systemCall("open \(path)") {
            open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        }
        defer { close(descriptor) }
        // Some file systems cannot sync a folder and need not.
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw .latest("sync \(path)") }
    }

    /// The names in a folder, sorted; none where it does not exist.
    static func names(in path: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }

    /// A new name in the folder `workshop`, which has to be in the same file system as what is made
    /// there. What a kill leaves bears a name that other tools of the hub know to be rubbish; beside
    /// its place they would take it for what it is not.
    private static func temporaryPath(in workshop: String) -> String {
        "\(workshop)/\(UInt64.random(in: .min ... .max))\(temporarySuffix)"
    }

    private static let temporarySuffix = ".tmp.incomplete"

    /// Removes what kills have left in `workshop`, in which nobody is at work.
    static func sweep(_ workshop: String) {
        for name in names(in: workshop) where name.hasSuffix(temporarySuffix) {
            unlink("\(workshop)/\(name)")
        }
    }

    /// Makes the symbolic link `path`, or turns it to `target`, whoever else does so meanwhile.
    static func link(
        to target: String,
        at path: String,
        workshop: String
    ) throws(SystemError) {
        let temporary = temporaryPath(in: workshop)
        try systemCall("link \(path)") { symlink(target, temporary) }
        do throws(SystemError) {
            try systemCall("rename \(path)") { rename(temporary, path) }
        } catch {
            unlink(temporary)
            throw error
        }
    }

    /// Writes a small file whole or not at all.
    static func write(
        _ text: String,
        to path: String,
        workshop: String
    ) throws(SystemError) {
        let temporary = temporaryPath(in: workshop)
        let bytes = Array(text.utf8)
        do throws(SystemError) {
            let descriptor = try systemCall("open \(temporary)") {
                open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o644)
            }
            defer { close(descriptor) }
            try FileRange.write(bytes, to: descriptor, at: 0)
            try systemCall("sync \(temporary)") { fsync(descriptor) }
            try systemCall("rename \(temporary)") { rename(temporary, path) }
        } catch {
            unlink(temporary)
            throw error
        }
    }

    /// The content of a small file; nil where it is not there.
    static func read(_ path: String, limit: Int) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return try? FileRange.readAll(descriptor, limit: limit)
    }

    /// What kind of thing `path` is, without following it where it is a link.
    static func kind(_ path: String) -> mode_t? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
    }

    /// Removes `path` with all that is in it. Links are removed, never followed.
    static func remove(_ path: String) throws(SystemError) {
        switch kind(path) {
        case nil: return
        case S_IFDIR:
            for name in names(in: path) { try remove("\(path)/\(name)") }
            guard rmdir(path) == 0 || errno == ENOENT else { throw .latest("remove \(path)") }
        default:
            guard unlink(path) == 0 || errno == ENOENT else { throw .latest("remove \(path)") }
        }
    }
}

extension Folder {
    /// Where a link leads, as it is written there; nil for what is no link.
    static func target(ofLink path: String) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path, &buffer, buffer.count)
        guard count > 0 else { return nil }
        return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
