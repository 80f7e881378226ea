// Edits a text in the user's editor.

import ChatServer
import EventLoop
import Glibc

enum ExternalEditor {
    private static let bytesMax = 16 << 20
    private static let pool = try? WorkerPool(name: "editor", threads: 1, queueLimit: 1)

    /// Starts $VISUAL, $EDITOR or vi with the text in a file that only its owner can read.
    /// - Parameter text: the text to begin with.
    /// - Returns: the saved text; nil if there is no editor, or it failed.
    static func edit(_ text: String) async -> String? {
        try? await pool?.run { edited(text) }
    }

    private static func edited(_ text: String) -> String? {
        let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var path = Array("\(folder)/stoa-XXXXXX.md".utf8CString)
        let descriptor = mkstemps(&path, 3)
        guard descriptor >= 0 else { return nil }
        close(descriptor)
        defer { unlink(path) }
        let name = String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        guard (try? FileSystem.write(Array(text.utf8), to: name, mode: 0o600)) != nil,
            run(name) == 0, let bytes = try? FileSystem.read(name, limit: bytesMax)
        else { return nil }
        let edited = String(decoding: bytes, as: UTF8.self)
        return edited.hasSuffix("\n") ? String(edited.dropLast()) : edited
    }

    /// Runs the editor by the shell, since the variable may have options.
    private static func run(_ path: String) -> Int32 {
        let command = #"exec ${VISUAL:-${EDITOR:-vi}} "$1""#
        let arguments = (["sh", "-c", command, "sh", path] as [String]).map { strdup($0) }
        defer { for argument in arguments { free(argument) } }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // This program blocks signals that the editor needs.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var process: pid_t = 0
        guard
            posix_spawn(&process, "/bin/sh", nil, &attributes, arguments + [nil], environ) == 0
        else { return -1 }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        return status
    }
}
