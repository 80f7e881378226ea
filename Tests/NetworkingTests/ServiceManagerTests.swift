import EventLoop
import Glibc
import Networking
import TestSupport
import Testing

@Suite("Service manager")
struct ServiceManagerTests {
    // MARK: Sockets to listen on

    @Test(
        "sockets are taken if they are for this process, and child processes do not inherit them"
    )
    func taking() throws {
        let number = try listeningSocket()
        defer { close(number) }
        func take(_ environment: [String: String]) throws -> [Int32] {
            try InheritedSockets.take(environment: environment, process: 7, first: number)
        }
        #expect(try take([:]) == [])
        #expect(try take(["LISTEN_FDS": "1"]) == [])
        #expect(try take(["LISTEN_FDS": "1", "LISTEN_PID": "8"]) == [])
        #expect(fcntl(number, F_GETFD) & FD_CLOEXEC == 0)
        #expect(try take(["LISTEN_FDS": "0", "LISTEN_PID": "7"]) == [])
        #expect(try take(["LISTEN_FDS": "1", "LISTEN_PID": "7"]) == [number])
        #expect(fcntl(number, F_GETFD) & FD_CLOEXEC != 0)
        #expect(fcntl(number, F_GETFL) & O_NONBLOCK != 0)
        for count in ["-1", "65", "one", ""] {
            #expect(throws: NetworkError.self) {
                try take(["LISTEN_FDS": count, "LISTEN_PID": "7"])
            }
        }
    }

    @Test("a descriptor that is not a listening socket is refused")
    func otherDescriptors() throws {
        func take(_ number: Int32) throws {
            let environment = ["LISTEN_FDS": "1", "LISTEN_PID": "7"]
            _ = try InheritedSockets.take(environment: environment, process: 7, first: number)
        }
        let folder = try TemporaryFolder()
        let file = open(try folder.write("file", []), O_RDONLY)
        let idle = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let datagrams = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        for number in [file, idle, datagrams] {
            #expect(
                throws: NetworkError.badAddress(
                    "descriptor \(number) is not a listening stream socket"
                )
            ) { try take(number) }
            close(number)
        }
    }

    @Test("a connection without a running server waits for the next server")
    func waiting() async throws {
        let number = try listeningSocket()
        defer { close(number) }
        let environment = ["LISTEN_FDS": "1", "LISTEN_PID": "7"]
        _ = try InheritedSockets.take(environment: environment, process: 7, first: number)
        try await EventLoop.run { loop in
            let first = try Listener(loop: loop, socket: ListeningSocket(inherited: dup(number))) {
                _ in
            }
            let address = first.address
            first.close()
            let stream = try await StreamConnector.connect(
                loop: loop,
                to: address,
                deadline: .seconds(30)
            )
            let client = AsyncByteStream(stream)
            try await client.write(Array("anybody there?".utf8))
            let second = try Listener(loop: loop, socket: ListeningSocket(inherited: dup(number))) {
                stream in
                stream.handler = EchoHandler()
            }
            #expect(second.address == address)
            #expect(try await client.read() == Array("anybody there?".utf8))
            client.close()
            second.close()
        }
    }

    // MARK: Notifications

    @Test("notifications are sent as lines", arguments: [false, true])
    func notices(isAbstract: Bool) throws {
        let folder = try TemporaryFolder()
        let name = isAbstract ? "@stoa-test-\(getpid())" : "\(folder.path)/notify"
        let manager = try datagramSocket(name)
        defer { close(manager) }
        let notifier = try #require(
            ServiceNotifier(environment: [
                "NOTIFY_SOCKET": name, "WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "\(getpid())",
            ])
        )
        #expect(notifier.watchdogPeriod == .milliseconds(1500))
        notifier.ready()
        #expect(receive(manager) == "READY=1")
        notifier.alive()
        #expect(receive(manager) == "WATCHDOG=1")
        notifier.stopping(within: .seconds(12))
        #expect(receive(manager) == "STOPPING=1\nEXTEND_TIMEOUT_USEC=12000000")
    }

    @Test("without a socket, or with an invalid one, there are no notifications")
    func silence() throws {
        #expect(ServiceNotifier(environment: [:]) == nil)
        let long = "/" + String(repeating: "x", count: 200)
        for name in ["", "/", "relative", "vsock:1:2", long] {
            #expect(ServiceNotifier(environment: ["NOTIFY_SOCKET": name]) == nil)
        }
        let another = try #require(
            ServiceNotifier(environment: [
                "NOTIFY_SOCKET": "/nobody/listens", "WATCHDOG_USEC": "1000", "WATCHDOG_PID": "1",
            ])
        )
        #expect(another.watchdogPeriod == nil)
        another.ready()
    }

    // MARK: Helpers

    /// A TCP socket that listens on this machine, as a service manager opens it.
    private func listeningSocket() throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                    | listen(descriptor, 16)
            }
        }
        try #require(status == 0)
        return descriptor
    }

    private func datagramSocket(_ name: String) throws -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var bytes = Array(name.utf8)
        if bytes[0] == UInt8(ascii: "@") { bytes[0] = 0 }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let size = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size)
            }
        }
        try #require(status == 0)
        return descriptor
    }

    private func receive(_ descriptor: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}
