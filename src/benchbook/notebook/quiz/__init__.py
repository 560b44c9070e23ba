"""What a notebook asks its readers: a quiz at its end, and guesses in words before something is
shown. Questions and answers lie in quiz.toml beside the experiment, so that no cell has them."""
