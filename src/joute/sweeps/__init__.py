"""Sweeps: the settings of an agent, each against the same opponent from the same openings.

grid.py reads the values in braces, comparison.py computes intervals for all settings at once, sweep.py plays a sweep as
a gauntlet of the arena, and page.py draws it.
"""
