"""The convolutional encoder: its pictures lie in memory with their channels side by side, which is twice as fast."""

import torch

from cubespace_networks.conv import ConvEncoder, ConvEncoderOptions


def test_activations_keep_the_memory_order_of_the_weights_through_noise_and_dropout() -> None:
    torch.manual_seed(0)
    encoder = ConvEncoder((8, 8, 1), 4, ConvEncoderOptions(width=8)).train()
    orders = []
    for layer in encoder.modules():
        if isinstance(layer, torch.nn.Conv2d | torch.nn.BatchNorm2d | torch.nn.MaxPool2d):
            layer.register_forward_hook(
                lambda _, __, output: orders.append(output.is_contiguous(memory_format=torch.channels_last))
            )
    encoder(torch.rand(3, 64))
    assert orders == [True] * 7
