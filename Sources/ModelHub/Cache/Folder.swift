// Folders and symbolic links, with errors that name the path. Blocking.

import EventLoop
import FoundationEssentials
import Glibc

enum Folder {
    /// Creates a folder and its parents.
    static func make(_ path: String) throws(SystemError) {
        if mkdir(path, 0o777) == 0 || errno == EEXIST { return }
        guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else {
            throw .latest("make \(path)")
        }
        try make(String(path[..<slash]))
        guard mkdir(path, 0o777) == 0 || errno == EEXIST else { throw .latest("make \(path)") }
    }

    /// Syncs the folder's entries to disk.
    static func sync(_ path: String) throws(SystemError) {
        let descriptor = try systemCall("open \(path)") {
            open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        }
        defer { close(descriptor) }
        // Some file systems cannot sync a folder and need not.
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw .latest("sync \(path)") }
    }

    /// The names in a folder, sorted; empty if it does not exist.
    static func names(in path: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }

    /// A new path in `folder`, which must be in the same file system as the target. A
    /// killed process leaves files with this suffix, which other Hugging Face tools recognize as
    /// incomplete downloads; next to the target they would mistake them for content.
    private static func temporaryPath(in folder: String) -> String {
        "\(folder)/\(UInt64.random(in: .min ... .max))\(temporarySuffix)"
    }

    private static let temporarySuffix = ".tmp.incomplete"

    /// Removes the files that killed processes left in `folder`. No other process may be writing
    /// there.
    static func sweep(_ folder: String) {
        for name in names(in: folder) where name.hasSuffix(temporarySuffix) {
            unlink("\(folder)/\(name)")
        }
    }

    /// Creates the symbolic link `path`, or atomically replaces the one that exists.
    static func link(
        to target: String,
        at path: String,
        temporaryFolder: String
    ) throws(SystemError) {
        let temporary = temporaryPath(in: temporaryFolder)
        try systemCall("link \(path)") { symlink(target, temporary) }
        do throws(SystemError) {
            try systemCall("rename \(path)") { rename(temporary, path) }
        } catch {
            unlink(temporary)
            throw error
        }
    }

    /// Writes a small file atomically.
    static func write(
        _ text: String,
        to path: String,
        temporaryFolder: String
    ) throws(SystemError) {
        let temporary = temporaryPath(in: temporaryFolder)
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

    /// The content of a small file; nil if it cannot be read.
    static func read(_ path: String, limit: Int) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return try? FileRange.readAll(descriptor, limit: limit)
    }

    /// The file type of `path`, links not followed; nil if it does not exist.
    static func kind(_ path: String) -> mode_t? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
    }

    /// Removes `path` and its content. Links are removed, not followed.
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
    /// The target of a symbolic link, as stored; nil if `path` is not one.
    static func target(ofLink path: String) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path, &buffer, buffer.count)
        guard count > 0 else { return nil }
        return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
