// Parses settings: each setting is looked up in the sources in order, and the first that has it
// counts. The first error ends parsing with one line that names its source.

public import Glibc
import HTTPProtocol

extension ServerSettings {
    /// Reads all settings.
    /// - Parameters:
    ///   - sources: the sources; earlier ones override later ones.
    ///   - environment: determines the data directory if no source does.
    /// - Throws: `SettingError` for the first invalid value.
    public init(
        sources: [SettingSource],
        environment: [String: String]
    ) throws(SettingError) {
        self.init()
        for setting in Self.definitions {
            try read(setting, from: sources)
        }
        if dataDirectory.isEmpty {
            dataDirectory = try Self.standardDataDirectory(environment: environment)
        }
        guard tlsCertificates.count == tlsKeys.count else {
            throw SettingError("tls-certificate and tls-key go together: one of them is missing")
        }
        guard tlsSelfSigned == .off || tlsCertificates.isEmpty else {
            throw SettingError("tls-self-signed is for servers without a tls-certificate")
        }
        guard walArchive == nil || databaseURL == nil else {
            throw SettingError(
                "wal-archive is for the private database: the one of database-url has its own settings"
            )
        }
        guard (signInHeader == nil) == signInHeaderFrom.isEmpty else {
            throw SettingError(
                "sign-in-header and sign-in-header-from go together: one of them is missing"
            )
        }
        guard (openIDIssuer == nil) == (openIDClientID == nil) else {
            throw SettingError("oidc-issuer and oidc-client-id go together: one of them is missing")
        }
        if let openIDIssuer {
            guard HTTPURL(ofProvider: openIDIssuer) != nil, publicURL != nil else {
                throw SettingError("oidc-issuer must be an https URL, and needs a public-url")
            }
        }
        if let metricsToken, metricsToken.utf8.count < Self.metricsTokenBytesMin {
            throw SettingError("metrics-token is too short: 16 characters or more are needed")
        }
        try checkTraces()
        if let signInHeader, HTTPHeaderName(signInHeader) == nil {
            throw SettingError("sign-in-header is not the name of a header: “\(signInHeader)”")
        }
        if let publicURL, !allowedOrigins.contains(publicURL) { allowedOrigins.append(publicURL) }
    }

    private func checkTraces() throws(SettingError) {
        guard let tracesEndpoint else {
            guard tracesFrom.isEmpty, tracesHeadersFile == nil else {
                throw SettingError("traces-from and traces-headers-file need a traces-endpoint")
            }
            return
        }
        guard let url = HTTPURL(tracesEndpoint) else {
            throw SettingError("traces-endpoint is not an http or https URL: “\(tracesEndpoint)”")
        }
        let isSafe = url.origin.isSecure || HTTPURL(ofProvider: tracesEndpoint) != nil
        guard tracesHeadersFile == nil || isSafe else {
            throw SettingError(
                "traces-headers-file needs https, or a collector on this machine: its values are secrets"
            )
        }
    }

    /// Shorter tokens could be guessed.
    private static let metricsTokenBytesMin = 16

    private mutating func read(
        _ setting: Setting,
        from sources: [SettingSource]
    ) throws(SettingError) {
        for source in sources {
            var value: String?
            do throws(SettingFault) {
                value = try source.text(setting)
                guard let value else { continue }
                return try setting.apply(value, to: &self)
            } catch {
                let quoted = value.map { setting.isSecret ? "" : " “\($0)”" } ?? ""
                throw SettingError(
                    "\(source.placeName(setting)):\(quoted) \(error)",
                    isUsageError: source.isCommandLine
                )
            }
        }
    }

    /// The default data directory, by the XDG base directory specification.
    ///
    /// For root it is /var/lib/stoa: PostgreSQL never runs as root, and the user that it runs as
    /// cannot enter root's home.
    /// - Parameters:
    ///   - environment: names the home directory.
    ///   - isRoot: whether this process runs as root.
    /// - Returns: the folder's path.
    /// - Throws: `SettingError` if the environment names no home.
    public static func standardDataDirectory(
        environment: [String: String],
        isRoot: Bool = geteuid() == 0
    ) throws(SettingError) -> String {
        if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") { return "\(data)/stoa" }
        if isRoot { return "/var/lib/stoa" }
        if let home = environment["HOME"], !home.isEmpty { return "\(home)/.local/share/stoa" }
        throw SettingError("there is no HOME: name the data directory with --data-dir")
    }
}
