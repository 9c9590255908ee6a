"""Records of runs as tables, plots and one page; `report.writing.write_report` is the way in."""
