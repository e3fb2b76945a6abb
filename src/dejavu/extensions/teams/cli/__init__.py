"""The commands of this extension, one module each."""
