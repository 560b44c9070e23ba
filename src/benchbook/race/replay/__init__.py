"""The article's own method, replayed exactly, and set beside the honest race's answer.

Every variant is started once and measured with the article's tool and options, one after the other
in the article's order; or the article's script is run, and the times that it prints are read.
A replay is a run file like a race's, with `replay` filled in and no samples. It is saved after each
figure, in a folder of its own, so that nothing takes it for a race.

A kind of method is a subclass of Published (model/published.py), a branch of
schemas/claim.schema.json and a subclass of Replay, in published.py of the kind that it measures
(race/kinds), which also says why the method errs; race/kinds/registry.py finds it.
"""
