// Reads files of bounded size.

import ChatServer
import EventLoop

enum InputFile {
    /// The bytes of a file.
    /// - Throws: `CommandFailure` if it cannot be read, or is longer than `limit` bytes.
    static func read(_ path: String, limit: Int) throws(CommandFailure) -> [UInt8] {
        let bytes: [UInt8]?
        do throws(FileError) { bytes = try FileSystem.read(path, limit: limit) } catch {
            throw CommandFailure(error)
        }
        guard let bytes else {
            throw CommandFailure(.dataError, "\(path) is longer than \(limit) bytes")
        }
        return bytes
    }
}

extension CommandFailure {
    /// Maps a file error to an exit code.
    init(_ error: FileError) {
        self.init(error.operation == .read ? .noInput : .cannotCreate, "\(error)")
    }
}
