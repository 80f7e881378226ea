// The memory of this process that is not backed by files; the buffers of connections are part of
// it.

import Glibc

/// Anonymous memory of this process.
package enum AnonymousMemory {
    /// In bytes; nil if /proc cannot be read. The kernel reads its own counters, so this is fast.
    package static var byteCount: Int? {
        let file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var text = [UInt8](repeating: 0, count: 128)
        let count = read(file, &text, text.count)
        guard count > 0 else { return nil }
        // Fields: total size, resident pages, and resident pages that files back; all in pages.
        let pages = text[..<count].split(separator: UInt8(ascii: " ")).prefix(3).compactMap {
            Int(String(decoding: $0, as: UTF8.self))
        }
        guard pages.count == 3 else { return nil }
        return (pages[1] - pages[2]) * sysconf(Int32(_SC_PAGESIZE))
    }
}
