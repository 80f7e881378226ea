// The chat templates of the model families, for folders without one.

/// The official template of a family of models.
enum BuiltInTemplate: String {
    /// Phi-3 and Phi-3.5.
    case phi3 = """
        {% for message in messages %}\
        {% if message['role'] == 'system' and message['content'] %}\
        {{'<|system|>\\n' + message['content'] + '<|end|>\\n'}}\
        {% elif message['role'] == 'user' %}\
        {{'<|user|>\\n' + message['content'] + '<|end|>\\n'}}\
        {% elif message['role'] == 'assistant' %}\
        {{'<|assistant|>\\n' + message['content'] + '<|end|>\\n'}}\
        {% endif %}{% endfor %}\
        {% if add_generation_prompt %}{{ '<|assistant|>\\n' }}{% else %}{{ eos_token }}{% endif %}
        """
    /// Phi-4-mini.
    case phi4Mini = """
        {% for message in messages %}\
        {% if message['role'] == 'system' and 'tools' in message and message['tools'] is not none %}\
        {{ '<|' + message['role'] + '|>' + message['content'] + '<|tool|>' + message['tools'] \
        + '<|/tool|>' + '<|end|>' }}\
        {% else %}{{ '<|' + message['role'] + '|>' + message['content'] + '<|end|>' }}\
        {% endif %}{% endfor %}\
        {% if add_generation_prompt %}{{ '<|assistant|>' }}{% else %}{{ eos_token }}{% endif %}
        """
    /// phi-4.
    case phi4 = """
        {% for message in messages %}\
        {% if message['role'] in ['system', 'user', 'assistant'] %}\
        {{ '<|im_start|>' + message['role'] + '<|im_sep|>' + message['content'] + '<|im_end|>' }}\
        {% endif %}{% endfor %}\
        {% if add_generation_prompt %}{{ '<|im_start|>assistant<|im_sep|>' }}{% endif %}
        """

    /// The family of `tokenizer`, determined by its special tokens; nil if it is unknown.
    init?(_ tokenizer: Tokenizer) {
        let known: [(BuiltInTemplate, marks: [String])] = [
            (.phi4, ["<|im_start|>", "<|im_sep|>", "<|im_end|>"]),
            (.phi4Mini, ["<|user|>", "<|assistant|>", "<|end|>", "<|tool|>"]),
            (.phi3, ["<|user|>", "<|assistant|>", "<|end|>"]),
        ]
        let added = tokenizer.addedTokens
        let family = known.first { _, marks in
            marks.allSatisfy { tokenizer.token($0).map(added.contains) ?? false }
        }
        guard let family else { return nil }
        self = family.0
    }
}
