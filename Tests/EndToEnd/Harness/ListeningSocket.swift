// A listening socket, for tests of a port in use and of inherited sockets.

import Glibc

/// Creates a socket that listens on a free port of this machine. The caller closes it.
/// - Returns: its descriptor, which is not inherited, and the port.
/// - Throws: `HarnessError` if there is none.
func listeningSocket() throws -> (Int32, UInt16) {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
            bind(descriptor, address, size) | listen(descriptor, 16)
                | getsockname(descriptor, address, &size)
        }
    }
    guard status == 0 else { throw HarnessError("no listening socket: errno \(errno)") }
    return (descriptor, UInt16(bigEndian: address.sin_port))
}
