"""A part of a report as a PNG, for the README: picture.py REPORT OUT WIDTH TOP HEIGHT."""
import base64
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import chromium  # noqa: E402

report, out, (width, top, height) = *map(pathlib.Path, sys.argv[1:3]), map(int, sys.argv[3:6])
page = chromium.Page(chromium.find())
page.show(report.resolve(), width, "light")
picture = page.call("Page.captureScreenshot", format="png", captureBeyondViewport=True,
                    clip={"x": 0, "y": top, "width": width, "height": height, "scale": 1})
out.write_bytes(base64.b64decode(picture["data"]))
page.close()
