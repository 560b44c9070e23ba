"""What looks after the checkout."""
