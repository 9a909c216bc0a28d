"""What goes wrong in ways that a user can mend."""


class LabError(Exception):
    """One sentence that says what is wrong and what to do. The command prints it and exits with 2."""


class NoResult(Exception):
    """A launch that gave no numbers: it crashed, hung, printed something else. The reason is for the report."""
