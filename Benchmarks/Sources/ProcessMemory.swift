// Memory of a measured process, from /proc.

import FoundationEssentials

/// Memory of a process of the same user.
enum ProcessMemory {
    /// Proportional set size (Pss) in bytes: its memory, with its share of shared pages. The kernel
    /// walks all pages for that: do not call it while something is timed.
    static func proportional(of process: Int) throws -> Int {
        try bytes("Pss:", in: "smaps_rollup", of: process)
    }

    /// Resident set size (VmRSS) in bytes.
    static func resident(of process: Int) throws -> Int {
        try bytes("VmRSS:", in: "status", of: process)
    }

    /// Resident anonymous memory (RssAnon) in bytes.
    static func anonymous(of process: Int) throws -> Int {
        try bytes("RssAnon:", in: "status", of: process)
    }

    /// Resident file mappings, such as weights (RssFile), in bytes.
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
