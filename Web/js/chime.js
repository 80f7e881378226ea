// A short sound of two tones, made by the browser.

const tones = [[659.3, 0], [880, 0.14]];
const seconds = 0.32;
const loudness = 0.12;

let context = null;

/** Plays it. Browsers are silent until the user has done something on the page. */
export async function chime() {
    context ??= new AudioContext();
    await context.resume();
    for (const [frequency, delay] of tones) {
        const start = context.currentTime + delay;
        const tone = new OscillatorNode(context, { frequency });
        const volume = new GainNode(context, { gain: 0 });
        volume.gain.setValueAtTime(0, start);
        volume.gain.linearRampToValueAtTime(loudness, start + 0.02);
        volume.gain.exponentialRampToValueAtTime(0.001, start + seconds);
        tone.connect(volume).connect(context.destination);
        tone.start(start);
        tone.stop(start + seconds);
    }
}
