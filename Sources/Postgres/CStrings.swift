// C strings for functions of C.

import Glibc

/// Calls `body` with `strings` as a NULL-terminated array of C strings, valid during the call.
package func withCStrings<Result>(
    _ strings: [String],
    _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
    var pointers: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) }
    pointers.append(nil)
    defer { for pointer in pointers { free(pointer) } }
    return pointers.withUnsafeBufferPointer { buffer in
        // The array has at least its NULL, so it has an address.
        buffer.baseAddress.map(body) ?? body([nil])
    }
}

/// Calls `body` with the C string of `text`, or with NULL.
func withOptionalCString<Result>(
    _ text: String?,
    _ body: (UnsafePointer<CChar>?) -> Result
) -> Result {
    guard let text else { return body(nil) }
    return text.withCString { body($0) }
}
