"""Simulate a GPU with tensors that have no numbers and know which device they are on."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from unittest.mock import patch

import numpy as np
import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode

GPU = "meta"
"""The only device, except for the CPU, that every build of torch supports without copying."""


def _numpy(tensor: FakeTensor) -> np.ndarray:
    """Return ones instead of the numbers, which nobody has computed. Raises TypeError, as torch
    does, for a tensor on a GPU."""
    if tensor.device.type != "cpu":
        raise TypeError(f"can't convert {tensor.device} device type tensor to numpy.")
    return np.ones(tensor.shape, str(tensor.dtype).removeprefix("torch."))


def _equal(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Return whether two tensors have one shape. Raises RuntimeError if they have two devices."""
    if one.device != other.device:
        raise RuntimeError("Expected all tensors to be on the same device")
    return one.shape == other.shape


def _apply(module: torch.nn.Module, change: Callable) -> torch.nn.Module:
    """Change all parameters and buffers of a module, as torch does. torch itself would swap tensors
    with their copies, which these ones cannot."""
    for part in module.modules():
        for name, values in part._parameters.items():
            if values is not None:
                changed = change(values.detach())
                part._parameters[name] = torch.nn.Parameter(changed, values.requires_grad)
        for name, values in part._buffers.items():
            if values is not None:
                part._buffers[name] = change(values)
    return module


class _Mode(FakeTensorMode):
    def __init__(self, used: set[tuple[str, str]]):
        super().__init__(allow_non_fake_inputs=True)
        self.used = used

    def dispatch(self, func, types, args=(), kwargs=None):
        found = super().dispatch(func, types, args, kwargs)
        if isinstance(found, FakeTensor):
            self.used.add((func.overloadpacket.__name__, found.device.type))
        return found


@contextmanager
def a_gpu() -> Iterator[set[tuple[str, str]]]:
    """Make GPU a device that has no numbers, and yield the operations so far: names and devices.

    An operation on tensors of two devices raises, as on a GPU; tensors without dimensions may be on
    the CPU. Taking a number from the device without `cpu()` or `item()` raises, too."""
    used: set[tuple[str, str]] = set()
    pretended = {
        "numpy": _numpy,
        "item": lambda tensor: 1.0,
        "is_cuda": property(lambda tensor: tensor.device.type == GPU),
    }
    with (
        _Mode(used),
        patch.multiple(FakeTensor, create=True, **pretended),
        patch.object(torch.nn.Module, "_apply", _apply),
        patch.object(torch, "equal", _equal),
    ):
        yield used
