// What the room on disks means.

import ModelHub

/// A folder, and the disk that it lies on.
package struct StorageFacts: Hashable {
    /// What is kept there.
    package var name: String
    /// Its path; of one that is not there yet, the nearest folder above that is.
    package var path: String
    /// Whether it is there.
    package var exists = true
    /// Whether this process may write there.
    package var isWritable = true
    /// The disk's size, in bytes; nil where it cannot be told.
    package var totalBytes: Int64?
    /// What is free on it for us, in bytes.
    package var freeBytes: Int64?

    /// A folder on a disk about which nothing is known.
    package init(name: String, path: String) {
        self.name = name
        self.path = path
    }
}

/// Judges disks.
package enum StorageJudgement {
    /// What a folder's state means.
    package static func check(_ facts: StorageFacts, _ limits: DoctorLimits) -> DoctorCheck {
        let place = facts.exists ? facts.path : "\(facts.path) (made when it is needed)"
        guard facts.isWritable else {
            return .failure(
                .storage,
                facts.name,
                "\(place) cannot be written",
                do: "run stoa as its owner, or chown it to the user that runs stoa"
            )
        }
        guard let free = facts.freeBytes, let total = facts.totalBytes else {
            return .warning(
                .storage,
                facts.name,
                "\(place): its disk cannot be looked at",
                do: "see whether the folder is mounted"
            )
        }
        let found = "\(place): \(ByteCount(Int(free))) of \(ByteCount(Int(total))) free"
        let advice =
            "free some, or move it to a larger disk: PostgreSQL stops when its disk is full"
        if free < limits.freeBytesMin { return .failure(.storage, facts.name, found, do: advice) }
        if free < limits.freeBytesLow { return .warning(.storage, facts.name, found, do: advice) }
        return .ok(.storage, facts.name, found)
    }
}
