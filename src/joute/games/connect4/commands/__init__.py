"""The commands of Connect Four."""
