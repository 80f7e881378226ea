// Files that a command reads whole, bounded.

import ChatServer
import EventLoop

enum InputFile {
    /// The bytes of a file.
    /// - Throws: `CommandFailure` where it cannot be read, or is longer than `limit` bytes.
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
    /// What a file that the system refuses means to a shell.
    init(_ error: FileError) {
        self.init(error.operation == .read ? .noInput : .cannotCreate, "\(error)")
    }
}
