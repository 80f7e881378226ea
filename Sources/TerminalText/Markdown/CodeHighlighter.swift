// Colours code: comments, strings, numbers and keywords. It knows a few families of languages, not their
// grammars.

/// Colours the lines of a code block.
enum CodeHighlighter {
    /// How a family of languages writes comments and strings.
    private struct Family {
        var lineComments: [String]
        var blockComment: (start: String, end: String)?
        var quotes: Set<Character> = ["\"", "'"]
        var keywords: Set<String>
    }

    private static let tabWidth = 4

    /// The lines of a text.
    /// - Parameters:
    ///   - text: the code; a last line feed makes no line.
    ///   - language: the name after the fence; for an unknown one nothing is coloured.
    /// - Returns: a line for each line.
    static func lines(_ text: String, language: String) -> [StyledLine] {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        guard let family = family(language.lowercased()) else {
            return lines.map { StyledLine(expanded($0)) }
        }
        var isInComment = false
        return lines.map { line(expanded($0), family, &isInComment) }
    }

    /// Tabs as spaces up to the next tab stop.
    private static func expanded(_ line: Substring) -> String {
        guard line.contains("\t") else { return String(line) }
        var text = ""
        var width = 0
        for character in line {
            let count = character == "\t" ? tabWidth - width % tabWidth : 0
            text += count > 0 ? String(repeating: " ", count: count) : String(character)
            width += count > 0 ? count : ColumnWidth.of(character)
        }
        return text
    }

    private static func line(
        _ text: String,
        _ family: Family,
        _ isInComment: inout Bool
    ) -> StyledLine {
        var line = StyledLine()
        var rest = text[...]
        while let first = rest.first {
            let (end, style) = token(rest, first, family, &isInComment)
            line.append(Span(String(rest[..<end]), style))
            rest = rest[end...]
        }
        return line
    }

    /// The end of the token at the start of `rest`, and its style.
    private static func token(
        _ rest: Substring,
        _ first: Character,
        _ family: Family,
        _ isInComment: inout Bool
    ) -> (Substring.Index, Style) {
        let comment = Style(color: .gray)
        if let (start, end) = family.blockComment, isInComment || rest.hasPrefix(start) {
            let body = isInComment ? rest : rest.dropFirst(start.count)
            let close = body.firstRange(of: end)?.upperBound
            isInComment = close == nil
            return (close ?? rest.endIndex, comment)
        }
        if family.lineComments.contains(where: { rest.hasPrefix($0) }) {
            return (rest.endIndex, comment)
        }
        if family.quotes.contains(first) { return (endOfString(rest, first), Style(color: .green)) }
        if first.isNumber {
            let end = rest.firstIndex { !$0.isLetter && !$0.isNumber && $0 != "." && $0 != "_" }
            return (end ?? rest.endIndex, Style(color: .magenta))
        }
        guard first.isLetter || first == "_" else {
            return (rest.index(after: rest.startIndex), Style())
        }
        let end = rest.firstIndex { !$0.isLetter && !$0.isNumber && $0 != "_" } ?? rest.endIndex
        let isKeyword = family.keywords.contains(String(rest[..<end]))
        return (end, isKeyword ? Style([.bold], color: .blue) : Style())
    }

    private static func endOfString(_ rest: Substring, _ quote: Character) -> Substring.Index {
        var index = rest.index(after: rest.startIndex)
        while index < rest.endIndex {
            if rest[index] == "\\" {
                index = rest.index(after: index)
                if index == rest.endIndex { break }
            } else if rest[index] == quote {
                return rest.index(after: index)
            }
            index = rest.index(after: index)
        }
        return rest.endIndex
    }

    // MARK: Languages

    private static func family(_ language: String) -> Family? {
        switch language {
        case "c", "h", "cpp", "c++", "cs", "csharp", "go", "golang", "java", "javascript", "js",
            "jsx", "kotlin", "kt", "php", "rust", "rs", "scala", "swift", "ts", "tsx", "typescript",
            "zig":
            // A quote in Rust may be a lifetime; in C and Go it is a character.
            let quotes: Set<Character> =
                ["rust", "rs"].contains(language) ? ["\""] : ["\"", "'", "`"]
            return Family(
                lineComments: ["//"],
                blockComment: ("/*", "*/"),
                quotes: quotes,
                keywords: curly
            )
        case "python", "py", "ruby", "rb", "r", "julia", "jl", "perl", "pl":
            return Family(lineComments: ["#"], blockComment: nil, keywords: scripting)
        case "sh", "bash", "zsh", "fish", "shell", "console", "makefile", "make", "dockerfile",
            "yaml", "yml", "toml", "ini":
            return Family(lineComments: ["#"], blockComment: nil, keywords: shell)
        case "sql", "postgres", "postgresql", "mysql", "sqlite":
            return Family(lineComments: ["--"], blockComment: ("/*", "*/"), keywords: sql)
        case "json", "jsonc":
            return Family(lineComments: ["//"], blockComment: nil, keywords: literals)
        case "lua", "haskell", "hs", "ada":
            return Family(lineComments: ["--"], blockComment: nil, keywords: scripting)
        default: return nil
        }
    }

    private static func words(_ text: String) -> Set<String> {
        Set(text.split(separator: " ").map(String.init))
    }

    private static let literals = words("true false null")
    private static let curly = literals.union(
        words(
            """
            abstract as async await break case catch class const continue crate default defer delete \
            do else enum extends export extension extern final finally fn for from func function go \
            guard if impl implements import in inline inout int interface internal is let loop match \
            mod module move mut mutating namespace new nil open operator override package private \
            protocol pub public range return select self Self sizeof static struct super switch template \
            this throw throws trait try type typedef typename typeof union unsafe use using val var \
            virtual void volatile when where while with yield
            """
        )
    )
    private static let scripting = literals.union(
        words(
            """
            and as assert async await begin break case class continue def del do elif else elsif end \
            ensure except finally for from function global if import in is lambda local match module \
            next nil None nonlocal not or pass raise rescue return self then True False try unless \
            until use when where while with yield
            """
        )
    )
    private static let shell = literals.union(
        words(
            """
            case do done elif else esac export fi for function if in local return set then until while \
            FROM RUN COPY CMD ENTRYPOINT ENV WORKDIR EXPOSE
            """
        )
    )
    private static let sql: Set<String> = {
        let lower = words(
            """
            add all alter and as asc begin between by case check column commit constraint create cross \
            default delete desc distinct drop else end exists false foreign from full group having if \
            in index inner insert into is join key left like limit not null offset on or order outer \
            primary references returning right rollback select set table then true union unique update \
            using values view when where with
            """
        )
        return lower.union(lower.map { $0.uppercased() })
    }()
}
