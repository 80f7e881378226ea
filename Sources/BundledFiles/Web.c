// The files of the web page, embedded in the binary. Tools/bundle_page.py makes them from Web/, with
// the list that is included here.
#include "BundledFiles.h"
#include "Folder.h"

#if !__has_include("../../.build/page/embedded_files.h")
#error "the page is not bundled: run `make page` (`make build` does)"
#else
#include "../../.build/page/embedded_files.h"

stoa_bundled_folder stoa_bundled_web(void) { return FOLDER(web_files); }
#endif
