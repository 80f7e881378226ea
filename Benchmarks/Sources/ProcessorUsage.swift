// Processor time of a measured process and of its children, from /proc.

import FoundationEssentials
import Glibc

/// The processor time of a process and its children.
struct ProcessorUsage: Sendable {
    let process: Int
    /// The name of threads that do not count.
    private let excluded: String?

    init(ofProcess process: Int, exceptThreads excluded: String? = nil) {
        self.process = process
        self.excluded = excluded
    }

    /// The process ids of its children.
    var children: [Int] {
        text("/proc/\(process)/task/\(process)/children").split(separator: " ")
            .compactMap { Int($0) }
    }

    /// Seconds in user and system mode, of those that run and of those that have ended.
    var seconds: Double {
        let running = children.reduce(nanoseconds(of: process)) { $0 + nanoseconds(of: $1) }
        return Double(running) / 1e9
            + Double(endedChildrenTicks) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// The scheduler's own count, in nanoseconds: /proc/PROCESS/stat has ticks of 10 ms.
    private func nanoseconds(of process: Int) -> Int {
        let folder = "/proc/\(process)/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return threads.reduce(0) { sum, thread in
            if let excluded, text("\(folder)/\(thread)/comm") == "\(excluded)\n" { return sum }
            let fields = text("\(folder)/\(thread)/schedstat").split(separator: " ")
            return sum + (fields.first.flatMap { Int($0) } ?? 0)
        }
    }

    /// proc(5): after the name in parentheses come state (3) to utime (14), stime, cutime, cstime.
    private var endedChildrenTicks: Int {
        let rest = text("/proc/\(process)/stat").split(separator: ")").last ?? ""
        let fields = rest.split(separator: " ")
        guard fields.count > 14 else { return 0 }
        return fields[13..<15].reduce(0) { $0 + (Int($1) ?? 0) }
    }

    private func text(_ path: String) -> String {
        guard let data = FileManager.default.contents(atPath: path) else { return "" }
        return String(decoding: data, as: UTF8.self)
    }
}
