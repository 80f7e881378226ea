// The servers that a connection string names. libpq accepts lists of hosts, addresses and ports:
// https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-MULTIPLE-HOSTS

/// One server of a connection string. What is nil is libpq's default.
package struct DatabaseHost: Sendable, Hashable {
    /// The host's name, address, or the folder of its Unix socket.
    package let host: String?
    /// Its IP address, if the name is not to be looked up.
    package let address: String?
    /// Its port.
    package let port: String?

    /// Creates a host.
    package init(host: String?, address: String? = nil, port: String? = nil) {
        self.host = host
        self.address = address
        self.port = port
    }

    /// The servers of these connection parameters, in the order of the string.
    /// - Throws: `configuration` if the lists of hosts, addresses and ports do not fit together.
    static func hosts(
        in parameters: [String: String]
    ) throws(PostgresError) -> [DatabaseHost] {
        let names = list(parameters["host"])
        let addresses = list(parameters["hostaddr"])
        let ports = list(parameters["port"])
        let count = max(1, addresses.isEmpty ? names.count : addresses.count)
        guard names.isEmpty || names.count == count else {
            throw .configuration("it has \(names.count) hosts for \(count) addresses")
        }
        guard ports.count <= 1 || ports.count == count else {
            throw .configuration("it has \(ports.count) ports for \(count) hosts")
        }
        func item(_ items: [String], _ index: Int) -> String? {
            let text = items.count == 1 ? items[0] : index < items.count ? items[index] : ""
            return text.isEmpty ? nil : text
        }
        return (0..<count).map { index in
            DatabaseHost(
                host: item(names, index),
                address: item(addresses, index),
                port: item(ports, index)
            )
        }
    }

    private static func list(_ text: String?) -> [String] {
        guard let text, !text.isEmpty else { return [] }
        return text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }

    /// `parameters` for a connection to this server alone.
    func replacing(in parameters: [String: String]) -> [String: String] {
        var result = parameters
        result["host"] = host
        result["hostaddr"] = address
        result["port"] = port
        return result
    }
}

extension DatabaseHost: CustomStringConvertible {
    /// Host and port, for the log.
    package var description: String {
        let name = host ?? address ?? "the default host"
        return port.map { "\(name):\($0)" } ?? name
    }
}
