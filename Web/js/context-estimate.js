// What a conversation would take of its model's context, before it is sent. Only the model's tokenizer
// knows: this starts from the count of the last answer, and estimates what came after it.

import { answerOf } from "./thinking.js";
import { utf8Length } from "./utf8.js";

/** English has about this many bytes a token; the conversation's own ratio is used if it is known. */
const bytesPerToken = 4;
/** The template adds about this many tokens to a message. */
const tokensAroundMessage = 5;
/** The length of an answer if neither conversation nor server set one (docs/reference/settings.md). */
const answerTokens = 1024;

/**
 * The estimate, or null if nothing is known: `{used, limit, leftOut, wasShortened, isDraftTooLong}`:
 * the tokens of the prompt with `draft`, the room for it beside the answer, how many of the oldest
 * messages do not fit (null if unknown), whether the last answer was made without some already, and
 * whether the draft alone does not fit.
 * `messages`: the visible branch, oldest first; `isWhole`: whether it is loaded from its start.
 */
export function contextEstimate({ messages, isWhole, draft, contextLength, maxTokens }) {
    if (!contextLength) return null;
    const last = messages.findLastIndex(({ usage }) => usage?.prompt_tokens > 0);
    if (last < 0 && draft === "" && messages.length === 0) return null;
    // A prompt that was shortened says nothing about the whole conversation's.
    const { usage, droppedMessages = 0, summarizedMessages = 0 } = messages[last] ?? {};
    const wasShortened = droppedMessages + summarizedMessages > 0;
    // What a model thought is not in later prompts.
    const known = usage
        ? usage.prompt_tokens + usage.completion_tokens - (usage.thinking_tokens ?? 0) : 0;
    const ratio = isWhole && usage && !wasShortened
        ? known / Math.max(1, bytesOf(messages.slice(0, last + 1))) : 1 / bytesPerToken;
    const tokensOf = (bytes) => Math.ceil(bytes * Math.min(ratio, 1)) + tokensAroundMessage;
    const draftTokens = draft === "" ? 0 : tokensOf(utf8Length(draft));
    const used = messages.slice(last + 1)
        .reduce((sum, message) => sum + tokensOf(sizeOf(message)), known + draftTokens);
    const limit = contextLength - Math.min(maxTokens ?? answerTokens, Math.floor(contextLength / 2));
    const leftOut = isWhole && !wasShortened ? leftOutOf(messages, used - limit, tokensOf) : null;
    return { used, limit, leftOut, wasShortened, isDraftTooLong: draftTokens > limit };
}

const sizes = new WeakMap();

/** The bytes of a message, counted once a text: a long conversation is estimated at each key. */
function sizeOf(message) {
    const known = sizes.get(message);
    if (known?.text === message.text) return known.bytes;
    const bytes = utf8Length(answerOf(message));
    sizes.set(message, { text: message.text, bytes });
    return bytes;
}

/** How many of the oldest messages free `excess` tokens; turns are left out as a whole. */
function leftOutOf(messages, excess, tokensOf) {
    if (excess <= 0) return 0;
    let freed = 0;
    let count = 0;
    while (count < messages.length && (freed < excess || messages[count].role === "assistant")) {
        freed += tokensOf(sizeOf(messages[count]));
        count += 1;
    }
    return count;
}

function bytesOf(messages) {
    return messages.reduce((sum, message) => sum + sizeOf(message), 0);
}
