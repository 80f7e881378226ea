// Credentials of users and programs.

/// Passwords, the one-time links that set them, API keys, and identities at an OpenID provider.
/// Secrets are stored only as hashes.
public struct CredentialStore {
    let pool: StorePool
}
