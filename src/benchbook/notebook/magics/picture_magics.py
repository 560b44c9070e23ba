"""%picture: what words take long to explain, drawn."""

from benchbook.show import markup
from benchbook.show.markup import Output
from benchbook.show.pictures import diagrams
from benchbook_kernels.notebook.offers import first, offers
from benchbook_kernels.notebook.typed import Magics, line_magic, magics_class


@magics_class
class PictureMagics(Magics):
    """Nothing is kept from one to the next."""

    @line_magic
    @offers(first(lambda _: diagrams.names()))
    def picture(self, line: str) -> Output:
        """Show a picture that explains something, and below it, folded, what it says in words.

        Usage: %picture onion
               %picture            (the list of all)
        """
        if not line.strip():
            rows = [[name, diagrams.title(name)] for name in diagrams.names()]
            return markup.table(["picture", "what it shows"], rows)
        return diagrams.shown(line.strip())
