// A disk that stops answering until the test lets it go on.

import FoundationEssentials
import Glibc
import TestSupport

/// An ext4 in a file, mounted in place of a folder. While it is frozen, whatever writes to it waits, and
/// reads go on, as with a disk or a network volume that hangs.
final class FreezableDisk {
    /// Whether this process may make one.
    static let canBeMade: Bool = {
        guard geteuid() == 0, let folder = try? TemporaryFolder() else { return false }
        let place = "\(folder.path)/place"
        guard mkdir(place, 0o700) == 0, let disk = try? FreezableDisk(insteadOf: place) else {
            return false
        }
        return (try? disk.freeze()) != nil
    }()

    private let path: String
    private let folder: TemporaryFolder
    /// The process that thaws it when its input ends, also if this process is killed.
    private var freezer: Program?

    /// Replaces the folder at `path` by one with the same content.
    init(insteadOf path: String) throws {
        self.path = path
        folder = try TemporaryFolder()
        let image = "\(folder.path)/disk.img"
        let before = "\(folder.path)/before"
        guard mkdir(before, 0o700) == 0 else { throw HarnessError("mkdir: errno \(errno)") }
        try shell(
            """
            truncate -s 1G "$1" && mkfs.ext4 -q -F "$1" && cp -a "$2/." "$3" &&
            mount -o loop "$1" "$2" && chown --reference="$3" "$2" && chmod --reference="$3" "$2" &&
            rmdir "$2/lost+found" && { [ -z "$(ls -A "$3")" ] || cp -a "$3/." "$2"; }
            """,
            [image, path, before]
        )
    }

    deinit { unmount() }

    /// Stops all writing to it.
    func freeze() throws {
        let program = try Program(
            "/bin/sh",
            [
                "-c",
                "fsfreeze -f \"$1\" || exit 1; echo frozen; read line; fsfreeze -u \"$1\"",
                "sh", path,
            ],
            keepsInputOpen: true,
            errorPath: "\(folder.path)/errors"
        )
        freezer = program
        _ = try program.line { $0 == "frozen" ? true : nil }
    }

    /// Lets it go on.
    func thaw() throws {
        guard let program = freezer else { return }
        freezer = nil
        program.closeInput()
        _ = try program.end()
    }

    /// Removes it with its content.
    func unmount() {
        try? thaw()
        umount2(path, Int32(MNT_DETACH))
    }

    private func shell(_ script: String, _ arguments: [String]) throws {
        let program = try Program(
            "/bin/sh",
            ["-c", script, "sh"] + arguments,
            errorPath: "\(folder.path)/errors"
        )
        guard try program.end().end == .exited(0) else { throw HarnessError(program.errorOutput) }
    }
}
