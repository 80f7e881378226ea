// What a browser lets the page do: no more than it needs, so that a text of somebody else cannot do
// more either.

import HTTPProtocol

/// The headers that restrict the page.
enum PagePolicy {
    static let headers: HTTPHeaders = [
        "Content-Security-Policy": contentSecurity,
        "Permissions-Policy": permissions,
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
    ]

    /// The page may only use its own files. Model output cannot load, send or execute anything. The
    /// one Trusted Types policy gives the address of the service worker.
    private static let contentSecurity = """
        default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
        img-src 'self' data:; font-src 'self'; manifest-src 'self'; worker-src 'self'; \
        base-uri 'none'; form-action 'self'; frame-ancestors 'none'; \
        require-trusted-types-for 'script'; trusted-types service-worker
        """

    /// Denies what the page does not use. Not named: writing to the clipboard (buttons that copy) and
    /// sound (notifications).
    private static let permissions = [
        "accelerometer", "browsing-topics", "camera", "clipboard-read",
        "display-capture", "encrypted-media", "fullscreen", "gamepad", "geolocation", "gyroscope",
        "hid", "idle-detection", "local-fonts", "magnetometer", "microphone", "midi", "payment",
        "picture-in-picture", "publickey-credentials-create", "publickey-credentials-get",
        "screen-wake-lock", "serial", "storage-access", "usb", "window-management",
        "xr-spatial-tracking",
    ].map { "\($0)=()" }.joined(separator: ", ")
}
