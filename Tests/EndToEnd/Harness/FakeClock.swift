// A clock that a test sets, for one program: libfaketime answers instead of the system.
// https://github.com/wolfcw/libfaketime

import FoundationEssentials
import Glibc
import TestSupport

/// A clock some time ahead of, or behind, the machine's. Only times of day: what programs wait for
/// is not changed.
struct FakeClock {
    private static let library: String? = ["x86_64-linux-gnu", "aarch64-linux-gnu"]
        .map { "/usr/lib/\($0)/faketime/libfaketime.so.1" }
        .first { FileManager.default.fileExists(atPath: $0) }

    /// Whether the library is installed.
    static var canBeSet: Bool { library != nil }

    private let folder: TemporaryFolder
    private var file: String { "\(folder.path)/step" }

    init() throws {
        folder = try TemporaryFolder()
        // PostgreSQL's user reads it, too.
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755],
            ofItemAtPath: folder.path
        )
        try set(to: "+0")
    }

    /// Sets it, such as to "+1h" or "-2d". Programs that run notice it at once.
    func set(to step: String) throws {
        // Replaced, not overwritten: a reader never sees half of it.
        let new = try folder.write("new", Array("\(step)\n".utf8))
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: new)
        guard rename(new, file) == 0 else { throw HarnessError("rename: errno \(errno)") }
    }

    /// A command that starts a Swift program with these variables. The library adds a variable when
    /// it is loaded first, and a Swift program that gets one then does not find its arguments.
    static let wrapper = ["/usr/bin/env"]

    /// Removes what the library leaves behind of a program that the wrapper started.
    static func forget(_ process: pid_t) {
        for name in ["faketime_shm_", "sem.faketime_sem_"] { unlink("/dev/shm/\(name)\(process)") }
    }

    /// The variables for a program with this clock.
    var environment: [String: String] {
        [
            "LD_PRELOAD": Self.library ?? "", "FAKETIME_TIMESTAMP_FILE": file,
            "FAKETIME_NO_CACHE": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "DONT_FAKE_MONOTONIC": "1",
        ]
    }
}
