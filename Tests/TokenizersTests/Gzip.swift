// Decompresses a .gz file with gunzip, since Phi-4-mini's tokenizer is stored compressed.

import FoundationEssentials
import Glibc

enum Gzip {
    struct Failure: Error {
        let path: String
    }

    /// The decompressed content of the file at `path`.
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
