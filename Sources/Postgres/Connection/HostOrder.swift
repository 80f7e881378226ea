// In which order to try several servers: first the one that accepted the last connection, last those
// that did not answer in time. So after a failover only the first attempts wait for a dead machine.

/// The servers of a configuration, in the order in which to try them. Connections of a pool share
/// one. Lives on its loop.
package final class HostOrder {
    /// The servers, best first.
    package private(set) var hosts: [DatabaseHost]
    /// Whether a connection is looking for the primary, so that the others need not.
    var isSearching = false

    /// Creates an order of `hosts`, as they are.
    package init(_ hosts: [DatabaseHost]) { self.hosts = hosts }

    /// `host` accepted a connection.
    package func accepted(_ host: DatabaseHost) { move(host, to: \.startIndex) }

    /// `host` did not answer in time.
    package func wasSilent(_ host: DatabaseHost) { move(host, to: \.endIndex) }

    private func move(_ host: DatabaseHost, to end: KeyPath<[DatabaseHost], Int>) {
        guard let index = hosts.firstIndex(of: host) else { return }
        hosts.remove(at: index)
        hosts.insert(host, at: hosts[keyPath: end])
    }
}
