"""The one exception that the rig raises for what its caller can understand and mend."""


class RigError(Exception):
    """A sentence for a person: what failed, with which value, and where to look."""
