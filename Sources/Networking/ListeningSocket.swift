// A socket that listens before its loop exists: a server opens its address first, before everything
// else that a start needs. Connections wait in the socket's backlog meanwhile.

import EventLoop
import Glibc
import Synchronization

/// A listening socket without a `Listener`. If it is never passed to a listener it is closed when
/// it is released, and the file of our own Unix socket is removed.
public final class ListeningSocket: Sendable {
    /// The parts that a listener takes.
    struct Opened: ~Copyable {
        let descriptor: FileDescriptor
        /// The file of a Unix socket that was bound here.
        let file: UnixSocketFile?
    }

    /// The address, with the port that the system selected for port 0.
    public let address: SocketAddress
    private let opened: Mutex<Opened?>

    /// Listens at `address`.
    /// - Parameters:
    ///   - address: the address; a Unix socket that no process listens on any more is replaced.
    ///   - configuration: the backlog, and the permissions of a Unix socket.
    /// - Throws: `addressInUse` if another socket listens there, or another error of the system.
    public convenience init(
        _ address: SocketAddress,
        _ configuration: ListenerConfiguration = ListenerConfiguration()
    ) throws(NetworkError) {
        let descriptor = try Self.open(address, configuration)
        var file: UnixSocketFile?
        if case .unix(let path) = address { file = UnixSocketFile(path: path) }
        try self.init(descriptor, file)
    }

    /// Takes ownership of a socket that already listens, such as one of `InheritedSockets`. A Unix
    /// socket's file is not removed: it belongs to its creator.
    /// - Parameter number: the socket's descriptor.
    /// - Throws: `system`.
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

    /// Returns the socket; nil if it was already taken.
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
                // "::" means all addresses including IPv4, whatever the system's default is.
                let level = Int32(IPPROTO_IPV6)
                try Socket.set(socket.number, level: level, option: IPV6_V6ONLY, to: 0)
            }
            // Until it listens, a new socket looks stale: the lock keeps others from checking it.
            let folder = try lockFolder(of: address)
            defer { if let folder { close(folder) } }
            try bind(socket.number, to: address)
            if case .unix(let path) = address {
                // Before listen(2), so that nobody can connect with other permissions.
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

    /// Locks the folder of a Unix socket against other processes that check it for stale files.
    /// - Returns: the descriptor with the lock; nil for other sockets.
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

    /// Whether `path` is a stale socket of an ended process: connecting is refused.
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

    /// The file at `path`; nil if there is none.
    init?(path: String) {
        var information = stat()
        guard lstat(path, &information) == 0 else { return nil }
        self.path = path
        device = information.st_dev
        node = information.st_ino
    }

    /// Removes the file, unless another process has replaced it.
    func remove() {
        guard let now = UnixSocketFile(path: path), now.device == device, now.node == node else {
            return
        }
        unlink(path)
    }
}
