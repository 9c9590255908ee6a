"""The grids of the same paper: Sokoban, mazes with teleports and sliding tiles."""
