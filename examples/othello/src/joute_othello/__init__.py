"""Othello for Joute, a plug-in in C++."""
