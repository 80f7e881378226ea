// The beginning of a connection that a proxy has made: its PROXY header is read before anything else of it,
// byte for byte, so that the stream begins right behind it.

import EventLoop
import Glibc

/// Waits for the header of one accepted socket. The loop keeps it alive until it is done.
final class ProxyGreeting: ReadinessHandler {
    private let loop: EventLoop
    private let number: Int32
    private let peer: SocketAddress
    private let whenDone: (SocketAddress?) -> Void
    private var reader = ProxyHeaderReader()
    private var registration: Registration?
    private var timer: TimerToken?

    /// Begins to wait.
    /// - Parameters:
    ///   - loop: where the socket is watched.
    ///   - number: the socket, which stays the caller's.
    ///   - peer: the proxy's address.
    ///   - deadline: how long the header may take.
    ///   - whenDone: gets the address of who has connected to the proxy, and nil where there is no
    ///     header that can be believed; called once.
    /// - Throws: where the socket can't be watched.
    init(
        loop: EventLoop,
        number: Int32,
        peer: SocketAddress,
        deadline: Duration,
        whenDone: @escaping (SocketAddress?) -> Void
    ) throws(SystemError) {
        self.loop = loop
        self.number = number
        self.peer = peer
        self.whenDone = whenDone
        registration = try loop.register(number, for: .readable, self)
        timer = loop.schedule(after: deadline) { [weak self] in self?.end(nil) }
    }

    func descriptorReady(_ readiness: Readiness) {
        while registration != nil {
            let buffer = UnsafeMutableRawBufferPointer(
                rebasing: loop.receiveBuffer[..<reader.byteCountWanted]
            )
            do {
                guard let count = try Socket.receive(number, into: buffer) else { return }
                guard count > 0 else { return end(nil) }
                let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
                switch try reader.receive(bytes) {
                case .client(let address): end(address)
                case .proxyItself: end(peer)
                case nil: break
                }
            } catch {
                end(nil)
            }
        }
    }

    func loopEnded() { end(nil) }

    private func end(_ address: SocketAddress?) {
        guard let registration else { return }
        registration.cancel()
        self.registration = nil
        timer?.cancel()
        whenDone(address)
    }
}
