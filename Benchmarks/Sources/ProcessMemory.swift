// What a process that is measured has in memory, as /proc tells it.

import FoundationEssentials

/// Memory of a process of the same user.
enum ProcessMemory {
    /// What it has in memory, its part of what it shares with others (Pss), in bytes. The kernel walks
    /// through all of its pages for that: not to be asked while something is timed.
    static func proportional(of process: Int) throws -> Int {
        try bytes("Pss:", in: "smaps_rollup", of: process)
    }

    /// What it has in memory (VmRSS), in bytes.
    static func resident(of process: Int) throws -> Int {
        try bytes("VmRSS:", in: "status", of: process)
    }

    /// What it has in memory that no file has (RssAnon), in bytes.
    static func anonymous(of process: Int) throws -> Int {
        try bytes("RssAnon:", in: "status", of: process)
    }

    /// What it has in memory of files, such as weights (RssFile), in bytes.
    static func mapped(of process: Int) throws -> Int {
        try bytes("RssFile:", in: "status", of: process)
    }

    private static func bytes(_ key: String, in file: String, of process: Int) throws -> Int {
        let text = try String(contentsOfFile: "/proc/\(process)/\(file)", encoding: .utf8)
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix(key) }),
            let kibibytes = Int(line.filter(\.isNumber))
        else { throw LoadError.unexpected("/proc/\(process)/\(file) says no \(key)") }
        return kibibytes << 10
    }
}
