// A socket that listens before there is a loop to accept on: what else a start needs is only worth opening
// once the address is ours. Connections that come meanwhile wait in the socket's backlog.

import EventLoop
import Glibc
import Synchronization

/// A listening socket that no `Listener` accepts from yet. One that is never handed to a listener is closed
/// at the end of its life, and the file of a Unix socket of our own is removed.
public final class ListeningSocket: Sendable {
    /// What a listener takes over.
    struct Opened: ~Copyable {
        let descriptor: FileDescriptor
        /// The file of a Unix socket that was bound here.
        let file: UnixSocketFile?
    }

    /// Where it listens: what was asked for, with the port that the system chose for port 0.
    public let address: SocketAddress
    private let opened: Mutex<Opened?>

    /// Listens at `address`.
    /// - Parameters:
    ///   - address: where; the file of a Unix socket that nobody listens at any more is replaced.
    ///   - configuration: the backlog, and the permissions of a Unix socket.
    /// - Throws: `addressInUse` where somebody listens there, or what else the system says.
    public convenience init(
        _ address: SocketAddress,
        _ configuration: ListenerConfiguration = ListenerConfiguration()
    ) throws(NetworkError) {
        let descriptor = try Self.open(address, configuration)
        var file: UnixSocketFile?
        if case .unix(let path) = address { file = UnixSocketFile(path: path) }
        try self.init(descriptor, file)
    }

    /// Takes over a socket that listens already, such as one of `InheritedSockets`. A Unix socket's file
    /// stays at the end: it belongs to whoever made it.
    /// - Parameter number: the socket's descriptor.
    /// - Throws: what the system says.
    public convenience init(inherited number: Int32) throws(NetworkError) {
        try self.init(FileDescriptor(owning: number), nil)
    }

    private init(
        _ descriptor: consuming FileDescriptor,
        _ file: UnixSocketFile?
    ) throws(NetworkError) {
        do { address = try Socket.localAddress(descriptor.number) } catch {
            throw .system(error)
        }
        opened = Mutex(Opened(descriptor: descriptor, file: file))
    }

    deinit { take()?.file?.remove() }

    /// Hands the socket over; nil where that was done before.
    func take() -> Opened? {
        opened.withLock { opened in
            var result: Opened?
            swap(&result, &opened)
            return result
        }
    }

    private static func open(
        _ address: SocketAddress,
        _ configuration: ListenerConfiguration
    ) throws(NetworkError) -> FileDescriptor {
        if case .unix(let path) = address { try checkUnixPath(path) }
        do {
            let socket = try Socket.make(for: address)
            if address.family != AF_UNIX {
                try Socket.set(socket.number, level: SOL_SOCKET, option: SO_REUSEADDR, to: 1)
            }
            if configuration.sharesPort {
                try Socket.set(socket.number, level: SOL_SOCKET, option: SO_REUSEPORT, to: 1)
            }
            if address.family == AF_INET6 {
                // "::" is all addresses, IPv4's too, whatever the system's default is.
                let level = Int32(IPPROTO_IPV6)
                try Socket.set(socket.number, level: level, option: IPV6_V6ONLY, to: 0)
            }
            // Until it listens, a new socket looks as stale as an old one: nobody else may look.
            let folder = try lockFolder(of: address)
            defer { if let folder { close(folder) } }
            try bind(socket.number, to: address)
            if case .unix(let path) = address {
                // Before listen(2), so that nobody can connect under other permissions.
                try systemCall("chmod \(path)") { chmod(path, configuration.unixMode) }
            }
            try systemCall("listen \(address)") { listen(socket.number, configuration.backlog) }
            return socket
        } catch  where error.errno == EADDRINUSE {
            throw .addressInUse(address)
        } catch {
            throw .system(error)
        }
    }

    private static func checkUnixPath(_ path: String) throws(NetworkError) {
        let limit = SocketAddress.unixPathBytesMax
        guard !path.isEmpty, path.utf8.count <= limit else {
            throw .badAddress("a Unix socket's path has 1 to \(limit) bytes: \(path)")
        }
    }

    private static func bind(_ descriptor: Int32, to address: SocketAddress) throws(SystemError) {
        do {
            try bindOnce(descriptor, to: address)
        } catch {
            guard error.errno == EADDRINUSE, case .unix(let path) = address,
                isStale(path, address)
            else { throw error }
            unlink(path)
            try bindOnce(descriptor, to: address)
        }
    }

    /// Locks the folder of a Unix socket against others who look for stale files in it.
    /// - Returns: a descriptor that holds the lock; nil for other sockets.
    private static func lockFolder(of address: SocketAddress) throws(SystemError) -> Int32? {
        guard case .unix(let path) = address else { return nil }
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
        let descriptor = try systemCall("open \(folder)") { Glibc.open(folder, flags) }
        do {
            try systemCall("lock \(folder)") { flock(descriptor, LOCK_EX) }
        } catch {
            close(descriptor)
            throw error
        }
        return descriptor
    }

    private static func bindOnce(
        _ descriptor: Int32,
        to address: SocketAddress
    ) throws(SystemError) {
        try systemCall("bind \(address)") {
            address.withKernelForm { Glibc.bind(descriptor, $0, $1) }
        }
    }

    /// Whether `path` is a socket that a process left behind: one that refuses to connect.
    private static func isStale(_ path: String, _ address: SocketAddress) -> Bool {
        var information = stat()
        guard lstat(path, &information) == 0, information.st_mode & S_IFMT == S_IFSOCK,
            let probe = try? Socket.make(for: address)
        else { return false }
        let result = address.withKernelForm { connect(probe.number, $0, $1) }
        return result < 0 && errno == ECONNREFUSED
    }
}

/// The file of a Unix socket that this process has bound.
struct UnixSocketFile {
    private let path: String
    private let device: dev_t
    private let node: ino_t

    /// The file at `path`; nil where there is none.
    init?(path: String) {
        var information = stat()
        guard lstat(path, &information) == 0 else { return nil }
        self.path = path
        device = information.st_dev
        node = information.st_ino
    }

    /// Removes the file, but for one that somebody else has put in its place.
    func remove() {
        guard let now = UnixSocketFile(path: path), now.device == device, now.node == node else {
            return
        }
        unlink(path)
    }
}
