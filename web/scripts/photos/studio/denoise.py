"""Makes a clean picture of a coarse and grainy one, since Debian's Blender has no denoiser of its own.

What is filtered is the light that falls on things, not their colour, so the print on a label stays as sharp as it is.
The grain goes with an edge-avoiding a-trous wavelet filter (Dammertz, Sewtz, Hanika, Lensch: "Edge-Avoiding A-Trous
Wavelet Transform for fast Global Illumination Filtering", 2010); the light, rendered at a fraction of the size, follows
the fine edges by joint bilateral upsampling (Kopf, Cohen, Lischinski, Uyttendaele, 2007).

Pictures are arrays of (height, width, 3), linear."""
import numpy as np

KERNEL = (1 / 16, 1 / 4, 3 / 8, 1 / 4, 1 / 16)
# Black things and metals have no colour to divide by.
FLOOR = 0.04


def shifted(image, down, right):
    """The image moved so that each pixel holds its neighbour; the edge repeats."""
    height, width = image.shape[:2]
    margin = max(abs(down), abs(right))
    if margin == 0:
        return image
    wide = np.pad(image, ((margin, margin), (margin, margin), (0, 0)), 'edge')
    return wide[margin + down:margin + down + height, margin + right:margin + right + width]


def blurred(image):
    return sum(shifted(image, i, j) for i in (-1, 0, 1) for j in (-1, 0, 1)) / 9


def apart(one, other):
    return ((one - other) ** 2).sum(-1)


def clean(colour, albedo, normal, levels=4):
    """The logarithm of the light in a grainy picture, without the grain."""
    return smoothed(np.log1p(np.clip(colour / (albedo + FLOOR), 0, 100)), albedo, normal, levels)


def smoothed(light, albedo, normal, levels=4):
    """Light without its grain: it blurs neither over a change of albedo nor over an edge of the normals."""
    for level in range(levels):
        step, tolerance = 2 ** level, 0.06 * 0.5 ** level
        guide = blurred(blurred(light)) if level < 2 else blurred(light)
        total, weights = np.zeros_like(light), np.zeros(light.shape[:2] + (1,), np.float32)
        for i, down in zip(KERNEL, (-2, -1, 0, 1, 2)):
            for j, right in zip(KERNEL, (-2, -1, 0, 1, 2)):
                at = (down * step, right * step)
                distance = (apart(shifted(guide, *at), guide) / tolerance + apart(shifted(albedo, *at), albedo) / 0.003
                            + apart(shifted(normal, *at), normal) / 0.03)
                weight = (i * j * np.exp(-distance))[..., None]
                total += weight * shifted(light, *at)
                weights += weight
        light = total / weights
    return light


def grown(image, times, down=0, right=0):
    """The image at a multiple of its size, moved by so many of its own pixels."""
    return shifted(image, down, right).repeat(times, axis=0).repeat(times, axis=1)


def enlarge(light, coarse_albedo, coarse_normal, albedo, normal, times):
    """The picture at a multiple of the size of its light."""
    total, weights = np.zeros_like(albedo), np.full(albedo.shape[:2] + (1,), 1e-6, np.float32)
    total += 1e-6 * grown(light, times)
    # From the middle of the coarse pixel to the middles of the fine ones in it, in coarse pixels.
    middles = (np.indices(albedo.shape[:2], np.float32) % times + 0.5) / times - 0.5
    for down in (-1, 0, 1):
        for right in (-1, 0, 1):
            place = (down - middles[0]) ** 2 + (right - middles[1]) ** 2
            distance = (place / 0.5 + apart(grown(coarse_albedo, times, down, right), albedo) / 0.006
                        + apart(grown(coarse_normal, times, down, right), normal) / 0.06)
            weight = np.exp(-distance)[..., None].astype(np.float32)
            total += weight * grown(light, times, down, right)
            weights += weight
    return np.expm1(total / weights) * (albedo + FLOOR)


def shrunk(image, times):
    """The image at a fraction of its size: each pixel the mean of those it covers."""
    height, width, colours = image.shape
    return image.reshape(height // times, times, width // times, times, colours).mean((1, 3))
