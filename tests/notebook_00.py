"""The lessons of notebook 00: they lie beside their experiment, not in the package."""

from benchbook.notebook import lessons
from benchbook.system import paths

EXPERIMENT = paths.snippets() / "00-how-benchmarks-lie"
package = lessons.read(EXPERIMENT / lessons.FOLDER)
figures, kernel_cost = package.figures, package.kernel_cost
open_loop, stalling = package.open_loop, package.stalling
