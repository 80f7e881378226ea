// Reads the PROXY header of an accepted connection before anything else, and no byte more, so that
// the stream starts directly after it.

import EventLoop
import Glibc

/// Waits for the header of one accepted socket. The loop retains it until it is done.
final class ProxyHandshake: ReadinessHandler {
    private let loop: EventLoop
    private let number: Int32
    private let peer: SocketAddress
    private let completion: (SocketAddress?) -> Void
    private var reader = ProxyHeaderReader()
    private var registration: Registration?
    private var timer: TimerToken?

    /// Starts to wait.
    /// - Parameters:
    ///   - loop: the loop of the socket.
    ///   - number: the socket, which the caller owns.
    ///   - peer: the proxy's address.
    ///   - deadline: the timeout for the header.
    ///   - completion: receives the client's address, or nil if there is no valid header; called
    ///     once.
    /// - Throws: `SystemError` if the socket cannot be registered.
    init(
        loop: EventLoop,
        number: Int32,
        peer: SocketAddress,
        deadline: Duration,
        completion: @escaping (SocketAddress?) -> Void
    ) throws(SystemError) {
        self.loop = loop
        self.number = number
        self.peer = peer
        self.completion = completion
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
        completion(address)
    }
}
