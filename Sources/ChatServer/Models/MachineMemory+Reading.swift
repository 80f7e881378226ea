// The memory of this machine, or of the container or service that limits this process.

package import ChatProtocol
import FoundationEssentials

extension MachineMemory {
    /// A memory limit of a control group (cgroup v2), and what its processes use of it.
    package struct Limit: Hashable {
        /// memory.max, in bytes.
        package var bytes: Int64
        /// memory.current, less the file cache that the kernel can take back at once.
        package var usedBytes: Int64

        package init(bytes: Int64, usedBytes: Int64) {
            self.bytes = bytes
            self.usedBytes = usedBytes
        }

        /// Reads the texts of a control group's files.
        /// - Returns: nil if it has no limit.
        package init?(max: String?, current: String?, stat: String?) {
            // "max" is no limit.
            guard let bytes = max.flatMap({ Int64($0.prefix { $0 != "\n" }) }) else { return nil }
            let used = current.flatMap { Int64($0.prefix { $0 != "\n" }) } ?? 0
            let cache = stat.flatMap { MachineMemory.number("inactive_file", in: $0) } ?? 0
            self.init(bytes: bytes, usedBytes: Swift.max(0, used - cache))
        }
    }

    /// The figures of /proc/meminfo within the limits.
    /// - Returns: nil if the text has no total.
    package init?(meminfo: String, limits: [Limit]) {
        guard let total = Self.number("MemTotal:", in: meminfo) else { return nil }
        let available = Self.number("MemAvailable:", in: meminfo) ?? total
        self.init(
            totalBytes: limits.map(\.bytes).reduce(total * 1024, min),
            availableBytes: limits.map { max(0, $0.bytes - $0.usedBytes) }
                .reduce(available * 1024, min)
        )
    }

    /// This machine's, as far as /proc and /sys can be read; the kernel makes their texts at once.
    package static var current: MachineMemory? {
        guard let meminfo = text("/proc/meminfo") else { return nil }
        // "0::/system.slice/stoa.service"; each ancestor may have a limit, too.
        let line = text("/proc/self/cgroup")?.split(separator: "\n").first { $0.hasPrefix("0::") }
        var parts = line?.dropFirst(3).split(separator: "/") ?? []
        var limits: [Limit] = []
        while true {
            let folder = (["/sys/fs/cgroup"] + parts.map(String.init)).joined(separator: "/")
            let limit = Limit(
                max: text("\(folder)/memory.max"),
                current: text("\(folder)/memory.current"),
                stat: text("\(folder)/memory.stat")
            )
            if let limit { limits.append(limit) }
            guard parts.popLast() != nil else { break }
        }
        return MachineMemory(meminfo: meminfo, limits: limits)
    }

    private static func text(_ path: String) -> String? {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The number after a name at the beginning of a line.
    private static func number(_ name: String, in text: String) -> Int64? {
        let line = text.split(separator: "\n").first { $0.hasPrefix("\(name) ") }
        return line?.split(separator: " ").dropFirst().first.flatMap { Int64($0) }
    }
}
