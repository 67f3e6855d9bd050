"""The experiments of the five reports: played again, and put beside what was published."""
