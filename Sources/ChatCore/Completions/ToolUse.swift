// The tools of a request of OpenAI's API: functions of the client's program that the model may call.

import ChatProtocol

/// The tools of a request's answers.
public struct ToolUse: Sendable, Hashable, Codable {
    /// A function that the model is told of.
    public struct Function: Sendable, Hashable, Codable {
        /// Its name: letters, digits, `_` and `-`.
        public var name: String
        /// What it does; nil if the request does not say.
        public var description: String?
        /// The JSON schema of its arguments as text; nil for a function without arguments.
        public var parameters: String?
        /// Whether the arguments of each call are valid against `parameters`; nil for no.
        public var isStrict: Bool?

        /// Creates a function.
        public init(
            name: String,
            description: String? = nil,
            parameters: String? = nil,
            isStrict: Bool? = nil
        ) {
            self.name = name
            self.description = description
            self.parameters = parameters
            self.isStrict = isStrict
        }
    }

    /// What the model may call.
    public enum Choice: Sendable, Hashable, Codable {
        /// Nothing: it is not told of the functions.
        case none
        /// Functions, if it wants to.
        case automatic
        /// At least one function.
        case required
        /// This function.
        case function(String)
    }

    /// The functions. None if a request only has calls and results of earlier requests in its messages.
    public var functions: [Function]
    /// What the model may call.
    public var choice: Choice
    /// Whether an answer may have more than one call.
    public var isParallel: Bool

    /// Creates a value.
    public init(functions: [Function], choice: Choice = .automatic, isParallel: Bool = true) {
        self.functions = functions
        self.choice = choice
        self.isParallel = isParallel
    }

    /// The functions as the templates of models take them; nil if the model is told of none.
    ///
    /// The form is that of Phi-4-mini's documentation, with the white space of Python's `json.dumps`:
    /// `[{"name": …, "description": …, "parameters": …}]`.
    public var definitions: String? {
        guard !functions.isEmpty, choice != .none else { return nil }
        let objects = functions.map { function in
            var members = ["\"name\": \(Self.quoted(function.name))"]
            if let description = function.description {
                members.append("\"description\": \(Self.quoted(description))")
            }
            members.append("\"parameters\": \(function.parameters ?? "{}")")
            return "{\(members.joined(separator: ", "))}"
        }
        return "[\(objects.joined(separator: ", "))]"
    }

    /// The beginning of an answer that must be a call; nil if it need not be one.
    ///
    /// It ends where the model's own tokens do. `constraint` restricts what follows, in models that run
    /// here; others can write a name that no function has.
    public var beginning: String? {
        let start = "\(ToolText.callsOpening)[{\"name\": \""
        switch choice {
        case .none, .automatic: return nil
        case .required where functions.count > 1: return start
        case .required: return functions.first.map { "\(start)\($0.name)\", \"arguments\":" }
        case .function(let name): return "\(start)\(name)\", \"arguments\":"
        }
    }

    /// A text as JSON.
    public static func quoted(_ text: String) -> String {
        String(decoding: WireEncoding.text(text), as: UTF8.self)
    }
}
