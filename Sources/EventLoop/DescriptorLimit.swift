// How many descriptors the process may have. The usual soft limit is meant for programs that use select(2);
// ours don't.

import CLinux

/// The limit on open descriptors.
public enum DescriptorLimit {
    /// Raises the process' own limit as far as it may.
    /// - Returns: the limit from now on.
    public static func raise() -> Int { clinux_raise_descriptor_limit() }
}
