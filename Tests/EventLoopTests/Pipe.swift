// A pipe (a socket pair used in one direction) and a handler that reads it.

import EventLoop
import Glibc
import Testing

/// A non-blocking pipe.
final class Pipe {
    let reader: FileDescriptor
    let writer: FileDescriptor

    init() throws {
        var numbers: [Int32] = [-1, -1]
        let kind = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
        try systemCall("socketpair") { socketpair(AF_UNIX, Int32(kind), 0, &numbers) }
        reader = FileDescriptor(owning: numbers[0])
        writer = FileDescriptor(owning: numbers[1])
    }

    func write(_ text: String) {
        var text = text
        let written = text.withUTF8 { Glibc.write(writer.number, $0.baseAddress, $0.count) }
        #expect(written == text.utf8.count)
    }

    func read() -> String {
        var buffer = [UInt8](repeating: 0, count: 1024)
        let count = Glibc.read(reader.number, &buffer, buffer.count)
        return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    }
}

/// Reads a pipe when it is ready and returns the text.
final class PipeReader: ReadinessHandler {
    let pipe: Pipe
    var received: (String) -> Void = { _ in }

    init(_ pipe: Pipe) { self.pipe = pipe }

    func descriptorReady(_ readiness: Readiness) { received(pipe.read()) }
}

/// Calls a function when its descriptor is ready.
final class ReadinessFunction: ReadinessHandler {
    private let function: (Readiness) -> Void

    init(_ function: @escaping (Readiness) -> Void) { self.function = function }

    func descriptorReady(_ readiness: Readiness) { function(readiness) }
}
