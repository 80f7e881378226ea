// Bytes come in pieces, commands want lines. Bounded: nobody's endless line fills the memory.

/// Cuts a stream of bytes into lines.
package struct LineSplitter {
    /// A line of the input.
    package enum Line: Equatable {
        /// Its bytes, without the line feed.
        case whole([UInt8])
        /// It had more bytes than are taken; they are dropped.
        case tooLong
    }

    private let lineBytesMax: Int
    private var pending: [UInt8] = []
    /// Set while the rest of a line that is too long goes by.
    private var isDropping = false

    /// A splitter of lines of `lineBytesMax` bytes at most.
    package init(lineBytesMax: Int) {
        self.lineBytesMax = lineBytesMax
    }

    /// The lines that `bytes` complete.
    package mutating func append(_ bytes: [UInt8]) -> [Line] {
        var lines: [Line] = []
        var rest = bytes[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            take(rest[..<end])
            lines.append(endLine())
            rest = rest[(end + 1)...]
        }
        take(rest)
        return lines
    }

    /// The last line, where it has no line feed; nil where nothing is left.
    package mutating func finish() -> Line? {
        pending.isEmpty && !isDropping ? nil : endLine()
    }

    private mutating func take(_ bytes: ArraySlice<UInt8>) {
        isDropping = isDropping || pending.count + bytes.count > lineBytesMax
        if isDropping {
            pending.removeAll()
        } else {
            pending += bytes
        }
    }

    private mutating func endLine() -> Line {
        defer {
            pending.removeAll(keepingCapacity: true)
            isDropping = false
        }
        return isDropping ? .tooLong : .whole(pending)
    }
}
