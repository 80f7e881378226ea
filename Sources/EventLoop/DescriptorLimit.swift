// The limit on open descriptors. The usual soft limit is for programs that use select(2); ours do
// not.

import CLinux

/// The limit on open descriptors.
public enum DescriptorLimit {
    /// Raises the process' soft limit to the hard limit.
    /// - Returns: the new limit.
    public static func raise() -> Int { clinux_raise_descriptor_limit() }
}
