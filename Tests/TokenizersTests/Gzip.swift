// Expands a .gz file with the program of that name, since Phi-4-mini's tokenizer is kept that way.

import FoundationEssentials
import Glibc

enum Gzip {
    struct Failure: Error {
        let path: String
    }

    /// The expanded content of the file at `path`.
    static func expand(_ path: String) throws -> [UInt8] {
        guard let pipe = popen("gunzip -c '\(path)'", "r") else { throw Failure(path: path) }
        var content: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = fread(&buffer, 1, buffer.count, pipe)
            if count == 0 { break }
            content.append(contentsOf: buffer[..<count])
        }
        guard pclose(pipe) == 0, !content.isEmpty else { throw Failure(path: path) }
        return content
    }
}
