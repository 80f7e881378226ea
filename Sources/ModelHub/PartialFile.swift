// A blob on its way into the cache: appended to, checked, and renamed. Blocking; for a worker's thread.

import COpenSSL
import EventLoop
import Glibc

/// An open `.incomplete` file, locked against other pulls.
final class PartialFile: Sendable {
    let path: String
    private let descriptor: Int32

    init(path: String) throws(HubError) {
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o644)
        guard descriptor >= 0 else { throw .disk(.latest("open \(path)")) }
        self.path = path
        self.descriptor = descriptor
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw .disk(.latest("another pull holds \(path)"))
        }
    }

    deinit { close(descriptor) }

    /// How many bytes are there.
    func byteCount() throws(HubError) -> Int {
        let end = lseek(descriptor, 0, SEEK_END)
        guard end >= 0 else { throw .disk(.latest("lseek")) }
        return end
    }

    func truncate() throws(HubError) {
        guard ftruncate(descriptor, 0) == 0 else { throw .disk(.latest("ftruncate")) }
    }

    func write(_ bytes: [UInt8], at offset: Int) throws(HubError) {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes {
                pwrite(descriptor, $0.baseAddress.map { $0 + done }, $0.count - done, offset + done)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .disk(.latest("write \(path)")) }
            done += count
        }
    }

    /// Checks size and digest, then gives the file its name; a file that fails is removed.
    func finish(as file: RepositoryFile, at destination: String) throws(HubError) {
        guard try byteCount() == file.byteCount, try digest(of: file) == file.digest else {
            unlink(path)
            throw .wrongChecksum(file: file.path)
        }
        guard fsync(descriptor) == 0, rename(path, destination) == 0 else {
            throw .disk(.latest("rename \(path)"))
        }
    }

    /// SHA-256 of large files; of others SHA-1 after git's header, as the hub names them.
    private func digest(of file: RepositoryFile) throws(HubError) -> String {
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        EVP_DigestInit_ex(context, file.lfs == nil ? EVP_sha1() : EVP_sha256(), nil)
        if file.lfs == nil {
            let header = Array("blob \(file.byteCount)\0".utf8)
            EVP_DigestUpdate(context, header, header.count)
        }
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        var offset = 0
        while true {
            let count = buffer.withUnsafeMutableBytes {
                pread(descriptor, $0.baseAddress, $0.count, offset)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .disk(.latest("read \(path)")) }
            if count == 0 { break }
            EVP_DigestUpdate(context, buffer, count)
            offset += count
        }
        var digest = [UInt8](repeating: 0, count: 64)
        var length: UInt32 = 0
        EVP_DigestFinal_ex(context, &digest, &length)
        let digits = Array("0123456789abcdef".utf8)
        let text = digest.prefix(Int(length)).flatMap {
            [digits[Int($0 >> 4)], digits[Int($0 & 15)]]
        }
        return String(decoding: text, as: UTF8.self)
    }
}
