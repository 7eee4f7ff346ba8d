"""The foundation: labellings, block sums, the p-value, the centred Gram matrix, and the laws of the nulls."""
