// Sending together with other streams of the loop. Only sends that nothing depends on are
// batched: no handler waits for the queue to drain, and the writing side is not ending.

import EventLoop
import Glibc

extension ByteStream {
    /// Adds `bytes` to the batch if there are `sendCount` sends in this turn and this one fits.
    /// - Returns: whether they were added; otherwise nothing has happened.
    func batch(_ bytes: UnsafeRawBufferPointer, sendCount: Int) -> Bool {
        encryption == nil && queue.isEmpty && addToBatch(bytes, sendCount: sendCount)
    }

    /// Adds `bytes`, which are ready for the socket, to the batch: they are plain, or ciphertext.
    func addToBatch(_ bytes: UnsafeRawBufferPointer, sendCount: Int) -> Bool {
        guard canBatch(byteCount: bytes.count, sendCount) else { return false }
        group.sends.add(bytes, to: self)
        return true
    }

    /// Adds bytes that other streams get, too, under the conditions of `batch(_:sendCount:)`.
    func batch(_ shared: SharedBytes, sendCount: Int) -> Bool {
        guard encryption == nil, queue.isEmpty,
            canBatch(byteCount: shared.bytes.count, sendCount)
        else { return false }
        group.sends.add(shared, to: self)
        return true
    }

    /// Moves the queue to the batch if there are `sendCount` sends in this turn and it fits.
    /// - Returns: whether it was moved.
    func batchQueue(sendCount: Int) -> Bool {
        guard encryption == nil, canBatch(byteCount: queue.byteCount, sendCount) else {
            return false
        }
        group.sends.add(queue, to: self)
        queue.removeAll()
        return true
    }

    private func canBatch(byteCount: Int, _ sendCount: Int) -> Bool {
        group.sends.takes(sendCount: sendCount) && writing == .open && !waitsForRoom
            && !needsDrainedCall && batchedCount == 0 && descriptor != nil
            && (1...SendBatch.sendBytesMax).contains(byteCount)
    }

    /// Sends what is in the batch, because something else is going to be sent or the stream is
    /// ending.
    func settleBatch() {
        if batchedCount > 0 { group.sends.submit() }
    }

    /// The batch was sent. Calls no handler.
    /// - Parameters:
    ///   - bytes: what was to be sent for this stream.
    ///   - result: the number of bytes that the socket has taken, or a negative errno.
    func batchWasSent(_ bytes: UnsafeRawBufferPointer, _ result: Int32) {
        batchedCount = 0
        // The send of a closed stream has failed.
        guard isOpen else { return }
        guard result >= 0 || result == -EAGAIN || result == -EINTR else {
            return close(.stream(SystemError(errno: -result, operation: "send")))
        }
        let count = Int(max(0, result))
        group.figures?.traffic.byteCountSent += count
        group.figures?.traffic.batchedSendCount += 1
        tally?.add(count)
        guard count < bytes.count else { return }
        let rest = UnsafeRawBufferPointer(rebasing: bytes[count...])
        if let encryption {
            encryption.ciphertext.append(copying: rest)
        } else {
            queue.append(copying: rest)
        }
        waitsForRoom = true
        updateInterest()
        noteHighMark()
    }
}
