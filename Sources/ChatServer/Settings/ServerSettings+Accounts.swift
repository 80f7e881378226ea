// Settings of accounts and sign-ins.

extension ServerSettings {
    static let accounts = [
        Setting(
            \.sessionIdle,
            "session-idle-days",
            .duration(secondsPerUnit: 86400, 1...3650),
            "Session idle timeout in days"
        ),
        Setting(
            \.sessionMax,
            "session-max-days",
            .duration(secondsPerUnit: 86400, 1...3650),
            "Maximum session age in days"
        ),
        Setting(
            \.registration,
            "registration",
            .choice,
            "Who may create an account: administrators alone, or also anybody with an"
                + " invitation"
        ),
        Setting(
            \.hashingThreads,
            "hashing-threads",
            .wholeNumber(0...256),
            "Number of threads that hash passwords, each of which needs 128 MiB; 0 for half of"
                + " the cores, from 1 to 4"
        ),
        Setting(
            \.hashingQueueLimit,
            "hashing-queue-limit",
            .wholeNumber(1...100_000),
            "Maximum sign-ins that wait for a hashing thread; further ones are refused"
        ),
        Setting(
            \.trustedProxies,
            "trusted-proxies",
            .addressRanges,
            "Proxies (10.0.0.0/8, ::1, or unix for the Unix socket) that are trusted to"
                + " forward the client's address"
        ),
        Setting(
            \.signInHeader,
            "sign-in-header",
            .optionalText,
            placeholder: "NAME",
            "Header by which a proxy names the signed-in user, such as X-Remote-User"
        ),
        Setting(
            \.signInHeaderFrom,
            "sign-in-header-from",
            .addressRanges,
            "Proxies whose sign-in header is accepted; other requests with it are refused"
        ),
        Setting(
            \.signInHeaderNewUsers,
            "sign-in-header-new-users",
            .choice,
            "Account creation for unknown users of the sign-in header"
        ),
        Setting(
            \.openIDIssuer,
            "oidc-issuer",
            .optionalText,
            placeholder: "URL",
            "OpenID provider to sign in with, at /api/v1/openid/start; requires public-url"
        ),
        Setting(
            \.openIDClientID,
            "oidc-client-id",
            .optionalText,
            "Client ID of this server at the OpenID provider"
        ),
        Setting(
            \.openIDClientSecret,
            "oidc-client-secret",
            .optionalText,
            isSecret: true,
            "Client secret of this server at the OpenID provider; without one, only PKCE is"
                + " used"
        ),
        Setting(
            \.openIDNewUsers,
            "oidc-new-users",
            .choice,
            "Account creation for unknown users of the OpenID provider"
        ),
    ]
}
