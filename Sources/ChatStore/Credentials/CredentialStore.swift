// What people and programs prove who they are with.

/// Passwords, the one-time links that set them, API keys, and identities at an OpenID provider. Of
/// secrets only hashes are kept.
public struct CredentialStore {
    let pool: StorePool
}
