"""The history of measures over commits, from the folders of runs, with the commits that changed them."""
