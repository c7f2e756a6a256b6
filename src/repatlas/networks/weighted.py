"""Linear units that are weighted by a sigmoid: f(u) = u sigmoid(beta u)."""

from repatlas.networks.activation import Activation, logistic


def weighted(beta: float, colour: str) -> Activation:
    """Return u sigmoid(beta u)"""

    def slope(u):
        weight = logistic(beta * u)
        return weight + beta * u * weight * (1 - weight)

    def forward(u, out):
        # u may be out itself: the weight is another tensor.
        weight = (beta * u).sigmoid_()
        out.copy_(u).mul_(weight)

    def backward_(gradient, u, output):
        weight = (beta * u).sigmoid_()
        gradient.mul_(weight + beta * u * weight * (1 - weight))

    def module():
        import torch

        class Weighted(torch.nn.Module):
            def forward(self, u):
                return u * torch.sigmoid(beta * u)

        return Weighted()

    return Activation(
        value=lambda u: u * logistic(beta * u),
        slope=slope,
        forward=forward,
        backward_=backward_,
        module=module,
        colour=colour,
        needs_input=True,
    )
