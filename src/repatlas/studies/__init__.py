"""Papers as reproduced here, a folder each."""
