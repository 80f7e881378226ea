// The body of a function (taken, stored): compares a screenshot with a stored picture, both base64 of PNG
// files, without the details that differ between machines: smoothing of letters, a word. Each block of 8 by 8
// pixels is reduced to its mean grey; `stored` has one pixel a block. Resolves to the taken picture in that
// form, the mean and the largest difference in grey levels (0 to 255), the number of blocks that differ by
// more than `limit`, and a picture of the differences.

const [taken, stored, limit] = arguments;
const side = 8;

async function pixelsOf(base64) {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    return context.getImageData(0, 0, image.width, image.height);
}

function blocksOf({ data, width, height }) {
    const [across, down] = [Math.floor(width / side), Math.floor(height / side)];
    const grey = new Float64Array(across * down);
    for (let y = 0; y < down * side; y += 1) {
        for (let x = 0; x < across * side; x += 1) {
            const at = 4 * (y * width + x);
            const value = 0.299 * data[at] + 0.587 * data[at + 1] + 0.114 * data[at + 2];
            grey[Math.floor(y / side) * across + Math.floor(x / side)] += value / side / side;
        }
    }
    return { grey: Uint8Array.from(grey, Math.round), across, down };
}

async function pngOf({ grey, across, down }) {
    const canvas = new OffscreenCanvas(across, down);
    const context = canvas.getContext("2d");
    const image = context.createImageData(across, down);
    grey.forEach((value, at) => image.data.set([value, value, value, 255], 4 * at));
    context.putImageData(image, 0, 0);
    const bytes = new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer());
    return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

async function compare() {
    const now = blocksOf(await pixelsOf(taken));
    const result = { picture: await pngOf(now) };
    if (!stored) return result;
    const { data, width, height } = await pixelsOf(stored);
    if (width !== now.across || height !== now.down) return { ...result, isOtherSize: true };
    const differences = now.grey.map((value, at) => Math.abs(value - data[4 * at]));
    return {
        ...result,
        mean: differences.reduce((sum, each) => sum + each, 0) / differences.length,
        worst: Math.max(...differences),
        count: differences.filter((each) => each > limit).length,
        difference: await pngOf({ ...now, grey: differences.map((each) => 255 - Math.min(255, 4 * each)) }),
    };
}

return compare();
