// Binding a socket and its Unix file, with errors that say what is in the way.

import EventLoop
import Glibc

/// Opens listening sockets.
enum ListeningSocket {
    /// A socket that listens at `address`.
    static func open(
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
