// Leaves a server that is not the primary any more: it refuses to write, says that it is read-only,
// or does not answer while another one accepts writes.

import CPostgres
import EventLoop
import Glibc

extension PostgresConnection {
    /// Ends the connection if the server has become read-only, so that the next one goes to the
    /// primary. What was pending is answered first.
    func leaveIfDemoted() {
        guard configuration.seeksPrimary, phase == .open, queue.isEmpty else { return }
        if hasRefusedToWrite || isOn("default_transaction_read_only") || isOn("in_hot_standby") {
            end(.connectionLost("\(host.map { "\($0)" } ?? "the server") has become read-only"))
        }
    }

    /// Whether the server has reported that a setting is on. It reports changes of these two by
    /// itself, from PostgreSQL 14 on.
    private func isOn(_ setting: String) -> Bool {
        guard let value = PQparameterStatus(handle, setting) else { return false }
        return strcmp(value, "on") == 0
    }

    /// Looks for another primary, since this one is silent: its machine may be frozen or cut off, and
    /// then nothing ends the connection. Ends it if another server accepts writes.
    func searchPrimary() {
        guard !hosts.isSearching else { return }
        hosts.isSearching = true
        search = loop.spawn { [self] in
            let probe = PostgresConnection(loop: loop, configuration: configuration, hosts: hosts)
            // If there is none yet, the next search may find it.
            _ = try? await probe.connect()
            let found = probe.host
            probe.close()
            hosts.isSearching = false
            if let found { leave(for: found) }
        }
    }

    /// Ends the connection if it is to another server than `primary`.
    func leave(for primary: DatabaseHost) {
        guard phase == .open, let host, host != primary else { return }
        end(.connectionLost("\(primary) is the primary now, not \(host)"))
    }
}
