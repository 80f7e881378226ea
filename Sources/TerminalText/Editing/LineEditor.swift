// A line editor, as a value: keys in, text and cursor out. The keys are those of readline(3).

/// The text that is being typed.
package struct LineEditor: Sendable {
    /// What a key asks for, beyond editing.
    package enum Action: Hashable, Sendable {
        /// The text is complete.
        case submit(String)
        /// Ctrl-C.
        case interrupt
        /// Ctrl-D in an empty text.
        case end
        /// Complete the word before the cursor.
        case complete
        /// Edit the text in $EDITOR.
        case openEditor
        /// Draw the screen again.
        case redraw
        /// Ctrl-Z.
        case suspend
        /// Nothing else.
        case none
    }

    /// The text.
    package private(set) var text: [Character] = []
    /// The position of the cursor in it.
    package private(set) var cursor = 0

    private var history: History
    private var killed: [Character] = []
    /// Whether Ctrl-X was typed, which begins a command of two keys.
    private var isAfterControlX = false

    /// An empty text.
    /// - Parameter history: earlier texts, oldest first.
    package init(history: [String] = []) {
        self.history = History(history)
    }

    /// Replaces the text; the cursor is at its end.
    package mutating func set(_ new: String) {
        text = Array(new)
        cursor = text.count
    }

    /// Replaces the characters before the cursor by a completion.
    package mutating func replace(last count: Int, with new: String) {
        let start = max(cursor - count, 0)
        text.replaceSubrange(start..<cursor, with: Array(new))
        cursor = start + new.count
    }

    /// The text before the cursor.
    package var beforeCursor: String { String(text[..<cursor]) }

    /// Takes a key.
    package mutating func take(_ key: Key) -> Action {
        if isAfterControlX {
            isAfterControlX = false
            return key == .control("e") ? .openEditor : .none
        }
        switch key {
        case .character(let character): insert([character])
        case .paste(let pasted): insert(Array(pasted))
        case .altEnter: insert(["\n"])
        case .enter: return enter()
        case .tab: return .complete
        case .control(let letter): return control(letter)
        case .alt(let letter): alt(letter)
        case .backspace: remove(from: cursor - 1, to: cursor)
        case .delete: remove(from: cursor, to: cursor + 1)
        case .left: cursor = max(cursor - 1, 0)
        case .right: cursor = min(cursor + 1, text.count)
        case .wordLeft: cursor = startOfWord()
        case .wordRight: cursor = endOfWord()
        case .home: cursor = startOfLine()
        case .end: cursor = endOfLine()
        case .up, .altUp: move(up: true)
        case .down, .altDown: move(up: false)
        case .backTab, .escape, .pageUp, .pageDown, .click, .wheel: break
        }
        return .none
    }

    // MARK: Keys

    private mutating func enter() -> Action {
        // A backslash before the end of the line continues it.
        if cursor == text.count, text.last == "\\" {
            text[text.count - 1] = "\n"
            return .none
        }
        let complete = String(text)
        history.add(complete)
        set("")
        return .submit(complete)
    }

    private mutating func control(_ letter: Character) -> Action {
        switch letter {
        case "a": cursor = startOfLine()
        case "b": cursor = max(cursor - 1, 0)
        case "c":
            set("")
            history.leave()
            return .interrupt
        case "d":
            if text.isEmpty { return .end }
            remove(from: cursor, to: cursor + 1)
        case "e": cursor = endOfLine()
        case "f": cursor = min(cursor + 1, text.count)
        case "k": kill(from: cursor, to: endOfLine())
        case "l": return .redraw
        case "n": move(up: false)
        case "p": move(up: true)
        case "u": kill(from: startOfLine(), to: cursor)
        case "w": kill(from: startOfBlankWord(), to: cursor)
        case "x": isAfterControlX = true
        case "y": insert(killed)
        case "z": return .suspend
        default: break
        }
        return .none
    }

    private mutating func alt(_ letter: Character) {
        switch letter {
        case "b": cursor = startOfWord()
        case "f": cursor = endOfWord()
        case "d": kill(from: cursor, to: endOfWord())
        default: break
        }
    }

    // MARK: Editing

    private mutating func insert(_ characters: [Character]) {
        text.insert(contentsOf: characters, at: cursor)
        cursor += characters.count
    }

    private mutating func remove(from start: Int, to end: Int) {
        let (start, end) = (max(start, 0), min(end, text.count))
        guard start < end else { return }
        text.removeSubrange(start..<end)
        cursor = start
    }

    private mutating func kill(from start: Int, to end: Int) {
        guard start < end else { return }
        killed = Array(text[start..<end])
        remove(from: start, to: end)
    }

    private func startOfLine() -> Int {
        (text[..<cursor].lastIndex(of: "\n") ?? -1) + 1
    }

    private func endOfLine() -> Int {
        text[cursor...].firstIndex(of: "\n") ?? text.count
    }

    private func isWord(_ index: Int) -> Bool { text[index].isLetter || text[index].isNumber }

    private func startOfWord() -> Int {
        var index = cursor
        while index > 0, !isWord(index - 1) { index -= 1 }
        while index > 0, isWord(index - 1) { index -= 1 }
        return index
    }

    private func endOfWord() -> Int {
        var index = cursor
        while index < text.count, !isWord(index) { index += 1 }
        while index < text.count, isWord(index) { index += 1 }
        return index
    }

    private func startOfBlankWord() -> Int {
        var index = cursor
        while index > 0, text[index - 1].isWhitespace { index -= 1 }
        while index > 0, !text[index - 1].isWhitespace { index -= 1 }
        return index
    }

    /// Moves to the line above or below, and from the first or last one into the history.
    private mutating func move(up isUp: Bool) {
        let column = cursor - startOfLine()
        if isUp, startOfLine() > 0 {
            cursor = startOfLine() - 1
            cursor = min(startOfLine() + column, endOfLine())
        } else if !isUp, endOfLine() < text.count {
            cursor = endOfLine() + 1
            cursor = min(cursor + column, endOfLine())
        } else if let other = history.move(up: isUp, from: String(text)) {
            set(other)
        }
    }
}

/// Earlier texts.
private struct History: Sendable {
    private static let countMax = 1000

    private var entries: [String]
    /// The shown entry; the count of entries for the text that was not submitted.
    private var place: Int
    private var unsent = ""

    init(_ entries: [String]) {
        self.entries = entries.suffix(Self.countMax)
        place = self.entries.count
    }

    mutating func add(_ text: String) {
        if !text.isEmpty, entries.last != text { entries.append(text) }
        if entries.count > Self.countMax { entries.removeFirst() }
        leave()
    }

    mutating func leave() {
        place = entries.count
        unsent = ""
    }

    mutating func move(up isUp: Bool, from text: String) -> String? {
        let next = place + (isUp ? -1 : 1)
        guard next >= 0, next <= entries.count else { return nil }
        if place == entries.count { unsent = text }
        place = next
        return next == entries.count ? unsent : entries[next]
    }
}
