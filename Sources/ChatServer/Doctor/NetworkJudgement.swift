// Checks the address to listen on, and who uses it.

/// The result of binding a port.
package enum PortState: Hashable {
    /// It is free.
    case free
    /// The system chooses one.
    case any
    /// A process listens on it.
    case taken
    /// The examined server listens on it.
    case own
    /// Binding it needs a privilege.
    case denied
    /// The address is invalid or belongs to another machine.
    case unusable(reason: String)
}

/// Checks the address to listen on.
package enum NetworkJudgement {
    /// Checks the settings and the state of the port.
    /// - Parameters:
    ///   - state: the result of binding the port.
    ///   - settings: the address and the port.
    ///   - nodes: the names of the running nodes; nil if unknown.
    /// - Returns: the checks.
    package static func checks(
        _ state: PortState,
        _ settings: ServerSettings,
        nodes: [String]?
    ) -> [DoctorCheck] {
        [port(state, settings, nodes), encryption(settings)]
    }

    private static func port(
        _ state: PortState,
        _ settings: ServerSettings,
        _ nodes: [String]?
    ) -> DoctorCheck {
        let place = ["address": "\(settings.host):\(settings.port)"]
        switch state {
        case .free: return .ok(.network, "port", .known(.freePort, place))
        case .any: return .ok(.network, "port", .known(.anyPort))
        case .own: return .ok(.network, "port", .known(.ownPort, place))
        case .denied:
            return .failure(
                .network,
                "port",
                .known(.deniedPort, place),
                do: .unprivilegedPort
            )
        case .unusable(let reason):
            return .failure(
                .network,
                "port",
                "\(settings.host):\(settings.port): \(reason)",
                do: .ownAddress
            )
        case .taken:
            if nodes?.contains(settings.nodeName) == true {
                return .ok(
                    .network,
                    "port",
                    .known(.nodesPort, place.merging(["node": settings.nodeName]) { $1 })
                )
            }
            let advice = DoctorAdvice.takenPort
            return nodes == nil
                ? .warning(
                    .network,
                    "port",
                    .known(.takenPort, place),
                    do: advice
                )
                : .failure(.network, "port", .known(.othersPort, place), do: advice)
        }
    }

    private static func encryption(_ settings: ServerSettings) -> DoctorCheck {
        let isLocal =
            settings.host == "localhost" || settings.host.hasPrefix("127.")
            || settings.host == "::1"
        if settings.usesTLS {
            guard settings.publicURL?.hasPrefix("http://") != true else {
                return .warning(
                    .network,
                    "encryption",
                    .known(.plainPublicURL),
                    do: .publicScheme
                )
            }
            return .ok(.network, "encryption", "TLS")
        }
        if settings.publicURL?.hasPrefix("https://") == true {
            return .ok(.network, "encryption", .known(.proxyTLS))
        }
        guard !isLocal else { return .ok(.network, "encryption", .known(.localOnly)) }
        return .warning(
            .network,
            "encryption",
            .known(.unencrypted, ["host": settings.host]),
            do: .encrypt
        )
    }
}
