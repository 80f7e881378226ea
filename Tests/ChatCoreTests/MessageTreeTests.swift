import ChatCore
import ChatProtocol
import Testing

@Suite("The tree of messages")
struct MessageTreeTests {
    private let ids = (0..<10).map { _ in MessageID.make() }

    /// 0 - 1 - 2; 3 - 4, where 3 is a sibling of 1; and 5, a sibling of 0.
    private func tree() -> MessageTree {
        var tree = MessageTree()
        tree.insert(ids[0], below: nil)
        tree.insert(ids[1], below: ids[0])
        tree.insert(ids[2], below: ids[1])
        tree.insert(ids[3], below: ids[0])
        tree.insert(ids[4], below: ids[3])
        tree.insert(ids[5], below: nil)
        return tree
    }

    @Test("a branch goes from the first message through the named one to the newest reply")
    func branches() {
        let tree = tree()
        #expect(tree.branch(through: ids[0]) == [ids[0], ids[3], ids[4]])
        #expect(tree.branch(through: ids[1]) == [ids[0], ids[1], ids[2]])
        #expect(tree.branch(through: ids[9]) == [])
        #expect(tree.siblings(of: ids[3]) == [ids[1], ids[3]])
        #expect(tree.siblings(of: ids[0]) == [ids[0], ids[5]])
        #expect(tree.siblings(of: ids[9]) == [])
    }

    @Test("readers without a selection see the newest message, others their selected branch")
    func shown() {
        var tree = tree()
        #expect(tree.shownBranch(selected: nil) == [ids[5]])
        #expect(tree.shownBranch(selected: ids[2]) == [ids[0], ids[1], ids[2]])
        tree.insert(ids[6], below: ids[1])
        #expect(tree.shownBranch(selected: ids[2]) == [ids[0], ids[1], ids[2]])
        #expect(tree.shownBranch(selected: nil) == [ids[0], ids[1], ids[6]])
        #expect(tree.shownBranch(selected: ids[9]) == tree.shownBranch(selected: nil))
        #expect(MessageTree().shownBranch(selected: nil) == [])
    }

    @Test("deletion removes descendants; the newest message is then on the parent's branch")
    func deletion() {
        var tree = tree()
        tree.insert(ids[6], below: ids[4])
        #expect(tree.remove(ids[3]) == [ids[3], ids[4], ids[6]])
        #expect(tree.newest == ids[2])
        #expect(tree.siblings(of: ids[1]) == [ids[1]])
        #expect(tree.remove(ids[3]) == [])
        tree.remove(ids[0])
        #expect(tree.shownBranch(selected: nil) == [ids[5]])
        tree.remove(ids[5])
        #expect(tree.newest == nil)
    }

    @Test("older messages that are loaded later keep the order of creation")
    func learning() {
        var tree = MessageTree()
        tree.learn(ids[2], below: ids[1])
        tree.insert(ids[3], below: ids[1])
        tree.learn(ids[2], below: ids[1], siblings: [ids[0], ids[2]])
        #expect(tree.siblings(of: ids[2]) == [ids[0], ids[2], ids[3]])
        #expect(tree.branch(through: ids[2]) == [ids[2]])
        tree.learn(ids[1], below: nil)
        #expect(tree.branch(through: ids[2]) == [ids[1], ids[2]])
        #expect(tree.branch(through: ids[1]) == [ids[1], ids[3]])
        #expect(tree.newest == ids[3])
    }
}
