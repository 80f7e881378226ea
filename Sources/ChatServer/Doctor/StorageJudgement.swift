// Checks free space on disks.

package import EventLoop
import ModelHub

/// A folder, and its disk.
package struct StorageFacts: Hashable {
    /// What it is for.
    package var name: String
    /// Its path; if it does not exist, the nearest existing parent.
    package var path: String
    /// Whether it exists.
    package var exists = true
    /// Why the folder cannot be created; nil if it exists or can be.
    package var obstacle: FileError?
    /// Whether this process may write to it.
    package var isWritable = true
    /// Size of the disk, in bytes; nil if unknown.
    package var totalBytes: Int64?
    /// Free bytes on it for this process.
    package var freeBytes: Int64?

    /// A folder on an unknown disk.
    package init(name: String, path: String) {
        self.name = name
        self.path = path
    }
}

/// Checks disks.
package enum StorageJudgement {
    /// Checks a folder.
    package static func check(_ facts: StorageFacts, _ limits: DoctorLimits) -> DoctorCheck {
        if let obstacle = facts.obstacle {
            return .failure(
                .storage,
                facts.name,
                "\(obstacle.cause)",
                do: remedy(for: obstacle)
            )
        }
        guard facts.isWritable else {
            return .failure(
                .storage,
                facts.name,
                .known(.unwritableFolder, ["folder": facts.path]),
                do: .folderOwner
            )
        }
        guard let free = facts.freeBytes, let total = facts.totalBytes else {
            return .warning(
                .storage,
                facts.name,
                .known(.unknownDisk, ["folder": facts.path]),
                do: .mountFolder
            )
        }
        let found = DoctorFinding.known(
            facts.exists ? .freeSpace : .newFolder,
            [
                "folder": facts.path, "free": "\(ByteCount(Int(free)))",
                "total": "\(ByteCount(Int(total)))",
            ]
        )
        let advice = DoctorAdvice.largerDisk
        if free < limits.freeBytesMin { return .failure(.storage, facts.name, found, do: advice) }
        if free < limits.freeBytesLow { return .warning(.storage, facts.name, found, do: advice) }
        return .ok(.storage, facts.name, found)
    }

    /// The remedy of `FileError` as advice.
    private static func remedy(for obstacle: FileError) -> DoctorAdvice {
        guard let remedy = FileError.remedy(for: obstacle.errno) else { return .anotherPath }
        return DoctorAdvice.allCases.first { $0.template == remedy } ?? .anotherPath
    }
}
