"""What code can tell of a text without a model: whether it holds anything, in which form, whether it was there before."""
