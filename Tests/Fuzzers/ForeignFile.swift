// An export of ChatGPT, Open WebUI or LibreChat: for every input the records are a valid tree.

import ChatProtocol
import JSONText
import Transfers

/// Converts a file. Called by libFuzzer for each input.
@c(LLVMFuzzerTestOneInput)
public func convertFile(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(FuzzerInput(start, count).raw)
    let records = convert(bytes)
    precondition(records == convert(bytes), "the same file gives other records")
    check(records)
    return 0
}

private let textByteCountMax = 64

private func convert(_ bytes: [UInt8]) -> [TransferRecord] {
    var limits = ForeignLimits()
    limits.messageCountMax = 50
    limits.textByteCountMax = textByteCountMax
    limits.conversationByteCountMax = 4096
    limits.element = JSONElementLimits(byteCountMax: 4096, valueCountMax: 200, depthMax: 16)
    var records: [TransferRecord] = []
    do throws(TransferError) {
        var source = try ForeignRecords(
            BytesInMemory(bytes),
            name: "file",
            importer: ForeignImporter(user: nil, time: Timestamp(milliseconds: 1)),
            limits: limits
        )
        while let record = try source.next() { records.append(record) }
    } catch {
        precondition(!error.description.isEmpty, "an error without a description")
    }
    return records
}

private func check(_ records: [TransferRecord]) {
    var roles: [MessageID: MessageRole] = [:]
    var leaf: MessageID?
    for record in records {
        switch record {
        case .conversation(let conversation):
            precondition(leaf.map { roles[$0] != nil } ?? true, "a leaf is missing")
            precondition(conversation.title.utf8.count <= 500, "a long title")
            leaf = conversation.leaf
            roles = [:]
        case .message(let message):
            let parent = message.parent.map { roles[$0] }
            precondition(parent != .some(nil), "a parent is missing")
            precondition(parent != .some(message.role), "roles do not alternate")
            precondition(
                parent != nil || message.role == .user,
                "an assistant message without a parent"
            )
            precondition(
                roles.updateValue(message.role, forKey: message.id) == nil,
                "a duplicate id"
            )
            precondition(message.text.utf8.count <= textByteCountMax, "a long text")
            precondition(!message.text.utf8.contains(0), "NUL")
        default: break
        }
    }
    precondition(leaf.map { roles[$0] != nil } ?? true, "a leaf is missing")
}
