"""What drawings share: style, panels, curves, words."""
