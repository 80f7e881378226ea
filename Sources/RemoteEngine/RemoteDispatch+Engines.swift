// Engines that come and go while the others work, and the context that all of them have.

import EngineProtocol
import EventLoop
import Logging

extension RemoteDispatch {
    /// How long a removed engine may go on with its answers. Most end within this time.
    private static let removalPatience: Duration = .seconds(20)

    /// Uses exactly these engines from now on. One that is not among them any more has some time to
    /// finish its running answers; then others go on with them. One that is asked otherwise than
    /// before is replaced in the same way.
    func use(_ addresses: [RemoteAddress]) {
        var rest = addresses
        for server in servers where !server.isRemoved {
            if let index = rest.firstIndex(where: { $0.isSame(as: server.address) }) {
                server.isDraining = rest.remove(at: index).isDraining
            } else {
                server.isRemoved = true
                _ = loop.schedule(after: Self.removalPatience) { [weak self] in
                    self?.moveAnswers(from: server)
                }
            }
        }
        for address in rest { add(address) }
        closeRemoved()
        updateContext()
    }

    private func add(_ address: RemoteAddress) {
        let server = RemoteServer(address, index: nextIndex, loop: loop, resolver: resolver)
        nextIndex += 1
        servers.append(server)
        loop.spawn { [self] in await introduce(server) }
    }

    /// Asks a new engine what it is, so that its context is known before the first question. If it
    /// does not answer yet, the first question asks again.
    private func introduce(_ server: RemoteServer) async {
        do throws(EngineFault) {
            let profile = try await server.knownProfile()
            logger.info(
                "remote engine found",
                metadata: [
                    "engine": "\(server.address.label)", "model": "\(model.name)",
                    "kind": "\(profile.kind.rawValue)",
                ]
            )
        } catch {
            server.didNotIntroduceItself(error)
            logger.warning(
                "remote engine does not answer yet",
                metadata: ["engine": "\(server.address.label)", "error": "\(error)"]
            )
        }
        updateContext()
        publish()
    }

    /// Closes removed engines that have nothing to do any more.
    func closeRemoved() {
        for server in servers where server.isRemoved && server.running == 0 {
            server.connections.close()
        }
        servers.removeAll { $0.isRemoved && $0.running == 0 }
    }

    /// The model's context is the smallest of its engines, since any of them may go on with an
    /// answer.
    func updateContext() {
        let known = servers.filter { !$0.isRemoved }.compactMap(\.contextLength)
        for server in servers {
            guard let limit = server.address.contextLimit, let told = server.contextLength,
                told < limit, !server.isContextLogged
            else { continue }
            server.isContextLogged = true
            logger.warning(
                "remote engine has a smaller context than set; its own counts",
                metadata: [
                    "engine": "\(server.address.label)", "told": "\(told)", "set": "\(limit)",
                ]
            )
        }
        let length = known.min() ?? contextLength
        guard length != contextLength else { return }
        contextLength = length
        publish()
        contextChanged(length)
    }
}
