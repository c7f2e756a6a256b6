"""Where torch computes."""

from repatlas.record import Refused


def chosen_device(name: str) -> str:
    """Return the device for "auto", "cpu" or "cuda", set to compute the same each time. Imports
    torch, which takes a second or two."""
    import torch

    if name == "cuda" and not torch.cuda.is_available():
        raise Refused("device: found 'cuda' on a machine without one, allowed: auto, cpu")
    if name == "cpu" or not torch.cuda.is_available():
        torch.set_num_threads(1)  # several add up in another order
        return "cpu"
    torch.backends.cudnn.deterministic = True
    torch.backends.cudnn.benchmark = False  # it chooses by measured times
    torch.backends.cudnn.allow_tf32 = False
    return "cuda"
