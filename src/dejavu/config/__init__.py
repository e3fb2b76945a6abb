"""Where things are kept on this machine and how the operator set them up."""
