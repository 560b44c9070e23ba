"""From samples to ratios with intervals, over launches and over machines."""
