// How much memory of its own this process has: all that its connections hold is a part of that.

import Glibc

/// What this process has in memory and no file backs.
package enum AnonymousMemory {
    /// In bytes; nil where /proc does not say it. The kernel answers out of its counters, at once.
    package static var byteCount: Int? {
        let file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var text = [UInt8](repeating: 0, count: 128)
        let count = read(file, &text, text.count)
        guard count > 0 else { return nil }
        // The whole size, then what is in memory, then what of that files back; all in pages.
        let pages = text[..<count].split(separator: UInt8(ascii: " ")).prefix(3).compactMap {
            Int(String(decoding: $0, as: UTF8.self))
        }
        guard pages.count == 3 else { return nil }
        return (pages[1] - pages[2]) * sysconf(Int32(_SC_PAGESIZE))
    }
}
