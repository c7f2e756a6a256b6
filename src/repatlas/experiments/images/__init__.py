"""Networks of convolutions on photographs and digits."""
