// An answer's partial text: applies deltas with byte offsets. A pure value, so that each of the
// protocol's rules on offsets is easy to test.

import { indexOfByte, utf8Length } from "./utf8.js";

/** The text of one answer and the run that writes it. */
export class GrowingText {
    /** The known text. */
    text = "";
    /** Its length in UTF-8 bytes: the offset of the next delta. */
    byteCount = 0;
    /** The run that wrote it; null if none has started. */
    run = null;

    /** Starts with a message object's text. */
    constructor(text = "", run = null) {
        this.replace(text, run);
    }

    /** Replaces the whole text. */
    replace(text, run) {
        this.text = text;
        this.byteCount = utf8Length(text);
        this.run = run;
    }

    /**
     * Appends the text between two offsets, without the part that is known already.
     * @returns whether it fitted; if not, text is missing and must be requested.
     */
    append({ run, at, to, text }) {
        if (run !== this.run) {
            // Another run without announcement: only a start at 0 can be applied.
            if (this.run !== null && at !== 0) return false;
            if (this.run !== null) this.replace("", run);
            this.run = run;
        }
        if (at > this.byteCount || to - at !== utf8Length(text)) return false;
        if (to <= this.byteCount) return true;
        const start = indexOfByte(text, this.byteCount - at);
        if (start === null) return false;
        this.text += text.slice(start);
        this.byteCount = to;
        return true;
    }

    /**
     * Continues with another run from byte `at`, and drops the text after it.
     * @returns whether the text reaches that far and has a character boundary there.
     */
    continueAt(run, at) {
        this.run = run;
        return this.cut(at);
    }

    /**
     * Applies an unfinished text of a watch reply: the first `at` known bytes, then `text`.
     * @returns whether it fitted.
     */
    adopt({ run, at, to, text }) {
        if (to - at !== utf8Length(text) || !this.continueAt(run, at)) return false;
        this.text += text;
        this.byteCount = to;
        return true;
    }

    /**
     * Cuts the text to byte `to`, for an answer that was stopped before this reader's position.
     * @returns whether the text reaches that far and has a character boundary there.
     */
    cut(to) {
        const end = to <= this.byteCount ? indexOfByte(this.text, to) : null;
        if (end === null) return false;
        this.text = this.text.slice(0, end);
        this.byteCount = to;
        return true;
    }
}
