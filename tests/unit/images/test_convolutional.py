"""The convolutional networks: their shapes, their nonlinearity everywhere, their first weights."""

import pytest
import torch
from selections import some
from torch import nn

from repatlas.experiments.images.task import LABELS
from repatlas.named import names
from repatlas.networks.activation import activation as activation_of
from repatlas.networks.architectures import ConvolutionalNetwork
from repatlas.networks.convolutional import Pointwise, build

architectures = pytest.mark.parametrize("architecture", ["small_cnn", "resnet18"])


def network(architecture, activation="tanh", width=4, depth=2):
    return ConvolutionalNetwork(
        architecture=architecture, activation=activation, width=width, depth=depth
    )


def test_resnet_18_has_its_eighteen_layers_and_as_many_weights_as_published():
    module = build(0, network("resnet18", width=64), (3, 32, 32), LABELS)
    main = [m for name, m in module.named_modules() if "shortcut" not in name]
    assert sum(isinstance(m, nn.Conv2d | nn.Linear) for m in main) == 18
    # 11,173,962 with ten labels (github.com/kuangliu/pytorch-cifar counts the same); five here.
    assert sum(p.numel() for p in module.parameters()) == 11_173_962 - 5 * 513


def kind_of(activation):
    return type(activation_of(activation).module()).__name__


@architectures
@pytest.mark.parametrize("activation", names("networks.activations"))
def test_the_nonlinearity_stands_wherever_a_relu_stood(architecture, activation):
    def activations(name):
        module = build(0, network(architecture, name), (1, 8, 8), LABELS)
        kinds = {kind_of(other) for other in ("relu", name)} - {"Identity"}
        return [type(m).__name__ for m in module.modules() if type(m).__name__ in kinds]

    relus, others = activations("relu"), activations(activation)
    if activation != "identity":
        assert others == [kind_of(activation)] * len(relus)
    else:
        assert others == []


@architectures
def test_networks_of_a_seed_start_alike_whatever_their_nonlinearity(architecture):
    first, second, other = (
        build(seed, network(architecture, activation), (1, 8, 8), LABELS).state_dict()
        for seed, activation in ((3, "tanh"), (3, "relu"), (4, "tanh"))
    )
    assert all(torch.equal(first[name], second[name]) for name in some(first))
    assert not torch.equal(first["readout.weight"], other["readout.weight"])


def normalised(z, weights, name):
    """Normalise z with running statistics."""
    shape = (1, -1, 1, 1)
    mean, variance, gain, shift = (
        weights[f"{name}.{kind}"].view(shape)
        for kind in ("running_mean", "running_var", "weight", "bias")
    )
    return (z - mean) / torch.sqrt(variance + 1e-5) * gain + shift


def small_cnn_by_hand(weights, images):
    z = images
    for layer in ("layers.0.0", "layers.1.0"):
        z = nn.functional.conv2d(z, weights[f"{layer}.weight"], weights[f"{layer}.bias"], padding=1)
        n, channels, height, width = z.shape
        z = torch.tanh(z).reshape(n, channels, height // 2, 2, width // 2, 2).amax((3, 5))
    z = z.reshape(len(z), -1) @ weights["layers.2.1.weight"].T + weights["layers.2.1.bias"]
    return torch.tanh(z)


def resnet_18_by_hand(weights, images):
    """Return the outputs of a ResNet-18 with a 3 x 3 stem: He et al. 2016, table 1 and figure 5
    (left)."""

    def conv(z, name, stride=1):
        kernel = weights[f"{name}.weight"]
        return nn.functional.conv2d(z, kernel, stride=stride, padding=kernel.shape[-1] // 2)

    z = torch.tanh(normalised(conv(images, "layers.0.0"), weights, "layers.0.1"))
    for block in range(1, 9):
        name, stride = f"layers.{block}", 2 if block in (3, 5, 7) else 1
        inner = normalised(conv(z, f"{name}.residual.0", stride), weights, f"{name}.residual.1")
        inner = normalised(
            conv(torch.tanh(inner), f"{name}.residual.3"), weights, f"{name}.residual.4"
        )
        if stride == 2:
            z = normalised(conv(z, f"{name}.shortcut.0", 2), weights, f"{name}.shortcut.1")
        z = torch.tanh(inner + z)
    return z.mean((2, 3))


@pytest.mark.parametrize(
    ("architecture", "by_hand"), [("small_cnn", small_cnn_by_hand), ("resnet18", resnet_18_by_hand)]
)
def test_the_last_layer_and_the_logits_are_those_by_hand(architecture, by_hand):
    module = build(0, network(architecture), (3, 16, 16), LABELS).double().eval()
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for name, values in module.state_dict().items():
            if values.is_floating_point():  # statistics that a network has after training
                drawn = torch.rand(values.shape, generator=generator, dtype=values.dtype)
                values.mul_(0.9).add_(drawn * (0.5 if "running_var" in name else 0.1))
        images = torch.randn(3, 3, 16, 16, generator=generator, dtype=torch.float64)
        weights = module.state_dict()
        last = by_hand(weights, images)
        logits = last @ weights["readout.weight"].T + weights["readout.bias"]
        torch.testing.assert_close(module.representations(images)[-1], last)
        torch.testing.assert_close(module(images), logits)


@pytest.mark.parametrize("channels", [2, 8])
def test_a_shortcut_with_a_stride_has_the_gradients_of_its_definition(channels):
    """torch's own convolution aborts on some CPUs, or gives wrong ones, with few channels."""
    torch.manual_seed(0)
    images = torch.randn(4, channels, 6, 6).to(memory_format=torch.channels_last)
    layer = Pointwise(channels, 2 * channels, 2).to(memory_format=torch.channels_last)
    found = layer(images)
    above = torch.randn(found.shape).to(memory_format=torch.channels_last)
    found.backward(above)
    seen = images[:, :, ::2, ::2].double()
    kernel = layer.weight[:, :, 0, 0].double()
    expected = torch.einsum("oi,nihw->nohw", kernel, seen)
    torch.testing.assert_close(found.double(), expected, atol=1e-6, rtol=1e-6)
    wanted = torch.einsum("nohw,nihw->oi", above.double(), seen)
    torch.testing.assert_close(layer.weight.grad[:, :, 0, 0].double(), wanted, atol=1e-5, rtol=1e-5)
