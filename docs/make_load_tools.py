"""Writes docs/load-tools.md from the load generators' own files: `python docs/make_load_tools.py`."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "src"))

from benchbook.load import registry  # noqa: E402

if __name__ == "__main__":
    (ROOT / "docs" / "load-tools.md").write_text(registry.page(), encoding="utf-8")
