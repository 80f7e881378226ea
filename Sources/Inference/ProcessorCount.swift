// The number of processors available to this process, which may be fewer than the machine has, in a
// container or a service.

import Glibc

/// Available processors.
package enum ProcessorCount {
    /// The processors of its affinity mask (sched_setaffinity(2): taskset, cpusets), limited by its
    /// cgroup's quota (`cpu.max`: `docker --cpus`, systemd's CPUQuota).
    package static let available: Int = {
        let quota = cgroupFolders().lazy.compactMap { folder in
            text(ofFile: "\(folder)/cpu.max").flatMap(quota(of:))
        }.first
        let affinity = text(ofFile: "/proc/self/status").flatMap(affinity(of:))
        return max(1, min(affinity ?? sysconf(Int32(_SC_NPROCESSORS_ONLN)), quota ?? .max))
    }()

    /// A quota as a number of processors, rounded up.
    /// - Parameter text: the content of `cpu.max`: microseconds per period, or "max", and the
    ///   period.
    /// - Returns: the number; nil without a limit.
    package static func quota(of text: String) -> Int? {
        let words = text.split { $0 == " " || $0 == "\n" }
        guard words.count == 2, let time = Int(words[0]), let period = Int(words[1]), time > 0,
            period > 0
        else { return nil }
        return (time - 1) / period + 1
    }

    /// The number of processors that a thread may run on.
    /// - Parameter status: the content of its `status` file in /proc.
    /// - Returns: the number; nil if it is not listed.
    package static func affinity(of status: String) -> Int? {
        let name = "Cpus_allowed:"
        let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
        let count = line?.dropFirst(name.count).reduce(0) { count, digit in
            count + (digit.hexDigitValue?.nonzeroBitCount ?? 0)
        }
        return count == 0 ? nil : count
    }

    /// The folders of this process' cgroup, by its path on the host and as a container sees it.
    private static func cgroupFolders() -> [String] {
        let root = "/sys/fs/cgroup"
        let own = text(ofFile: "/proc/self/cgroup")?.split(separator: "\n").first {
            $0.hasPrefix("0::")
        }
        return [own.map { root + $0.dropFirst(3) }, root].compactMap(\.self)
    }

    /// The text of a small kernel file; nil if it cannot be read.
    private static func text(ofFile path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(descriptor, &bytes, bytes.count)
        return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}
