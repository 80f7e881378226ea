// Finds the page's packages where Debian installs them, as Tools/bundle_page.py does. Import this, then the
// page's modules by `await import(…)`.

import { register } from "node:module";

const hook = `
    import { createRequire } from "node:module";
    import { pathToFileURL } from "node:url";
    const require = createRequire("/usr/share/nodejs/");
    export async function resolve(name, context, next) {
        try {
            return await next(name, context);
        } catch (error) {
            if (error.code !== "ERR_MODULE_NOT_FOUND" || /^[./]|^file:/.test(name)) throw error;
            return next(pathToFileURL(require.resolve("/usr/share/nodejs/" + name)).href, context);
        }
    }`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);
