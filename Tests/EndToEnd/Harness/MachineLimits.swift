// Limits that a test sets for processes: memory by a control group, a slow disk by strace.

import FoundationEssentials
import Glibc

/// A memory limit for some processes; over it the kernel kills one of them.
final class MemoryLimit {
    /// Version 1 of control groups has a hierarchy for memory alone, version 2 one for everything.
    private static let hierarchy: (root: String, limit: String)? = {
        let version1 = "/sys/fs/cgroup/memory"
        if access("\(version1)/cgroup.procs", W_OK) == 0 {
            return (version1, "memory.limit_in_bytes")
        }
        let root = "/sys/fs/cgroup"
        let enabled = FileManager.default.contents(atPath: "\(root)/cgroup.subtree_control")
        let names = enabled.map { String(decoding: $0, as: UTF8.self) } ?? ""
        guard access("\(root)/cgroup.procs", W_OK) == 0, names.contains("memory") else {
            return nil
        }
        return (root, "memory.max")
    }()

    /// Whether this process may set one.
    static var canBeSet: Bool { (try? MemoryLimit(mebibytes: 64))?.remove() != nil }

    private let folder: String

    init(mebibytes: Int) throws {
        guard let (root, limit) = Self.hierarchy else { throw HarnessError("no control groups") }
        folder = "\(root)/stoa-test-\(UUID().uuidString.lowercased())"
        guard mkdir(folder, 0o755) == 0 else { throw HarnessError("mkdir: errno \(errno)") }
        try Self.write("\(mebibytes << 20)", to: "\(folder)/\(limit)")
    }

    deinit { remove() }

    /// Puts a process under the limit, and those that it starts from now on.
    func add(_ process: pid_t) throws {
        try Self.write("\(process)", to: "\(folder)/cgroup.procs")
    }

    /// Removes the limit. Processes go to the parent group.
    func remove() {
        guard let root = Self.hierarchy?.root,
            let bytes = FileManager.default.contents(atPath: "\(folder)/cgroup.procs")
        else { return }
        for process in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            try? Self.write(String(process), to: "\(root)/cgroup.procs")
        }
        rmdir(folder)
    }

    private static func write(_ text: String, to path: String) throws {
        let file = open(path, O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { throw HarnessError("open \(path): errno \(errno)") }
        defer { close(file) }
        let bytes = Array(text.utf8)
        guard Glibc.write(file, bytes, bytes.count) == bytes.count else {
            throw HarnessError("write \(path): errno \(errno)")
        }
    }
}

/// Delays each flush of some processes to the disk.
final class SlowDisk {
    private static let program = "/usr/bin/strace"

    /// Whether strace is installed and may trace.
    static let canBeMade: Bool = {
        guard
            let program = try? Program(
                program,
                ["-o", "/dev/null", "-e", "inject=fsync:delay_enter=1", "/bin/true"],
                errorPath: "/dev/null"
            )
        else { return false }
        return (try? program.end().0) == .exited(0)
    }()

    private let tracer: Program

    init(milliseconds: Int, of processes: [pid_t]) throws {
        let calls = "fsync,fdatasync"
        tracer = try Program(
            Self.program,
            [
                "-f", "-qq", "-o", "/dev/null", "-e", "trace=\(calls)", "-e",
                "inject=\(calls):delay_enter=\(milliseconds * 1000)",
            ] + processes.flatMap { ["-p", "\($0)"] },
            errorPath: "/dev/null"
        )
        try eventually("strace traces all of them") {
            processes.allSatisfy { process in
                let bytes = FileManager.default.contents(atPath: "/proc/\(process)/status")
                let text = bytes.map { String(decoding: $0, as: UTF8.self) } ?? ""
                return text.contains("TracerPid:\t\(self.tracer.process)\n")
            }
        }
    }

    /// Lets go of the processes.
    func end() {
        tracer.send(SIGTERM)
        _ = try? tracer.end()
    }
}
