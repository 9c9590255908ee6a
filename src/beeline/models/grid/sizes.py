"""The sizes of convolution-attention networks, and the shapes of their weights."""

from __future__ import annotations

from typing import NamedTuple

from beeline.core.errors import BeelineError, look_up

MOST = 4096


class GridSizes(NamedTuple):
    """How many layers there are, and how wide they are.

    `convolutions` of `filters` each come first, then `blocks` of a convolution of `block_filters`
    and attention of `attention` dimensions in all, which `attention_heads` share; `hidden` is the
    width of the dense layer.
    """

    convolutions: int
    filters: int
    blocks: int
    block_filters: int
    attention: int
    attention_heads: int
    hidden: int

    def checked(self) -> GridSizes:
        """The sizes, if they make sense."""
        for name, value in self._asdict().items():
            least = 0 if name in ("convolutions", "blocks") else 1
            if type(value) is not int or not least <= value <= MOST:
                raise BeelineError(
                    f"{name} is {value}", hint=f"it is a whole number from {least} to {MOST}"
                )
        if not self.convolutions + self.blocks:
            raise BeelineError("a network without layers", hint="convolutions or blocks")
        if self.attention % self.attention_heads:
            raise BeelineError(
                f"{self.attention} dimensions of attention for {self.attention_heads} heads",
                hint="each head has as many",
            )
        return self

    def weight_shapes(self, channels: int, heads: int) -> dict[str, tuple[int, ...]]:
        """The shape of each weight.

        >>> PRESETS["small"].weight_shapes(7, 1)["convolutions.1.weight"]
        (16, 23, 3, 3)
        """
        result: dict[str, tuple[int, ...]] = {}
        width = channels
        for number in range(self.convolutions):
            result[f"convolutions.{number}.weight"] = (self.filters, width, 3, 3)
            result[f"convolutions.{number}.bias"] = (self.filters,)
            width = self.filters + channels
        for number in range(self.blocks):
            prefix = f"blocks.{number}."
            result[prefix + "convolution.weight"] = (self.block_filters, width, 3, 3)
            result[prefix + "convolution.bias"] = (self.block_filters,)
            for name in ("queries", "keys", "values"):
                result[f"{prefix}{name}.weight"] = (self.attention, self.block_filters)
                result[f"{prefix}{name}.bias"] = (self.attention,)
            result[prefix + "mixed.weight"] = (self.attention, self.attention)
            result[prefix + "mixed.bias"] = (self.attention,)
            width = self.attention + self.block_filters + channels
        result["hidden.weight"], result["hidden.bias"] = (self.hidden, width), (self.hidden,)
        result["output.weight"], result["output.bias"] = (heads, self.hidden), (heads,)
        return result


PRESETS = {
    "small": GridSizes(3, 16, 2, 32, 16, 2, 32),
    "medium": GridSizes(5, 32, 3, 64, 32, 2, 64),
    "paper": GridSizes(7, 64, 4, 180, 60, 2, 256),
}


def grid_sizes(preset: str, **changes: int) -> GridSizes:
    """The sizes of a preset, some of them changed.

    >>> grid_sizes("small", blocks=1).blocks
    1
    """
    unknown = [name for name in changes if name not in GridSizes._fields]
    if unknown:
        raise TypeError(f"unknown size '{unknown[0][:60]}'")
    return look_up("preset", preset, PRESETS)._replace(**changes).checked()
