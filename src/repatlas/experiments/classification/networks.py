"""The kinds of networks that learn to name images."""

from typing import Annotated, Literal

from pydantic import Field

from repatlas.grids import ByName, grid_of
from repatlas.named import names
from repatlas.networks.architectures import ConvolutionalNetwork
from repatlas.networks.mlp import Network
from repatlas.record import Record

ActivationName = Literal[*names("networks.activations")]


class Perceptron(Record):
    """A multilayer perceptron with ten outputs, with all parameters trained. Its steps are steps of
    the optimiser."""

    kind: Literal["mlp"]
    activation: ActivationName
    """The nonlinearity of the hidden layers."""
    width: int = Field(64, ge=2, le=100_000, multiple_of=2)
    """Neurons of each hidden layer."""
    depth: int = Field(4, ge=1, le=100)
    """Hidden layers."""
    initial: Literal["uniform", "normal", "linear"] = "linear"
    """The distribution of the initial values of a layer with n inputs. Weights uniform in
    +-1/sqrt(n) and biases N(0, 1/n); both N(0, 1/n); or both uniform in +-1/sqrt(n), as in
    torch.nn.Linear."""

    @property
    def layers(self) -> int:
        """How many have weights."""
        return self.depth + 1

    @property
    def network(self) -> Network:
        """This network as a record of networks.mlp."""
        of_mlp = self.model_dump(exclude={"kind"})
        return Network(**of_mlp, readout="trained")


class SmallCnn(Record):
    """Convolutions, each with a nonlinearity and a pooling, a full layer and ten outputs. Its steps
    are passes over the images."""

    kind: Literal["small_cnn"]
    activation: ActivationName
    """The nonlinearity of every layer."""
    width: int = Field(16, ge=1, le=100_000)
    """Channels of the first convolution. Each further convolution has twice as many, and the full
    layer has 8 times the width."""
    depth: int = Field(3, ge=1, le=4)
    """Convolutions."""

    @property
    def layers(self) -> int:
        """How many have weights."""
        return self.depth + 2

    @property
    def network(self) -> ConvolutionalNetwork:
        """This network as a record of networks.architectures."""
        return ConvolutionalNetwork(architecture="small_cnn", **self.model_dump(exclude={"kind"}))


KINDS: dict[str, type[Record]] = {"mlp": Perceptron, "small_cnn": SmallCnn}


def _kinds() -> tuple[str, ...]:
    return tuple(KINDS)


AnyNetwork = Annotated[Record, ByName("kind", _kinds, KINDS.__getitem__)]
"""A network of either kind."""
AnyNetworkGrid = Annotated[Record, ByName("kind", _kinds, lambda kind: grid_of(KINDS[kind]))]
"""A grid of networks of one kind."""
