"""From networks to a statement: means, intervals, differences."""
