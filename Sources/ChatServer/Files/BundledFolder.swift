// The files inside the binary.

import BundledFiles

/// A folder inside the binary.
package struct BundledFolder: Sendable {
    /// A file: its path relative to the folder, and its bytes.
    // Safety: the bytes are constants of the binary; they are never written or freed.
    package struct File: @unchecked Sendable {
        package let path: String
        package let bytes: UnsafeBufferPointer<UInt8>
    }

    package let files: [File]

    /// The web page.
    package static var web: BundledFolder { BundledFolder(stoa_bundled_web()) }
    /// The schema's migrations.
    package static var migrations: BundledFolder { BundledFolder(stoa_bundled_migrations()) }
    /// The demo model.
    package static var demoModel: BundledFolder { BundledFolder(stoa_bundled_demo_model()) }

    private init(_ folder: stoa_bundled_folder) {
        files = UnsafeBufferPointer(start: folder.files, count: folder.count).map { file in
            File(
                path: String(cString: file.path),
                bytes: UnsafeBufferPointer(start: file.bytes, count: file.byte_count)
            )
        }
    }
}
