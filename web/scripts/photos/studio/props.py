"""What lies beside the goods: stones, plants, fruit, salt. Every prop is put together at the origin, about a unit wide,
and set in its place by scatter()."""
import math
import random

import bpy

from forms import arc, ball, disc, drum, grid, lathe, rod, slab
from materials import linear, speckled, stone, surface, uneven, wood


def leaf(length, width, material, curl=0.12):
    """A leaf from the origin along y."""
    def point(row, column):
        across = 2 * column - 1
        half = width / 2 * math.sin(math.pi * row ** 0.8) ** 0.75
        rise = math.sin(math.pi * row) / 2 + across * across * half / width / 2
        return (across * half, row * length, curl * length * rise)
    return grid('leaf', 14, 8, point, material)


def foliage(colour):
    return surface(colour, 0.5, Specular=0.3)


def branch(dice, leaves, length, width, colour, reach=1.0):
    """A stem lying on the ground with leaves in pairs."""
    green, stem = foliage(colour), surface('#6d6a45', 0.7)
    parts, before = [], None
    for i in range(leaves + 1):
        t = i / leaves
        here = (t * reach - reach / 2, 0.16 * math.sin(2.2 * t), 0.03 + 0.03 * math.sin(3 * t))
        if before:
            parts.append(rod(before, here, 0.011 * (1.3 - t), stem))
            for side in (-1, 1):
                blade = leaf(length * (1.15 - 0.5 * t) * dice.uniform(0.9, 1.1), width * (1.15 - 0.5 * t), green)
                blade.location = here
                blade.rotation_euler = (math.radians(dice.uniform(4, 24)), math.radians(side * dice.uniform(5, 25)),
                                        math.radians(-90 + side * dice.uniform(38, 62)))
                parts.append(blade)
        before = here
    return parts


def eucalyptus(dice, accent):
    return branch(dice, 6, 0.2, 0.19, '#8aa08a')


def olive(dice, accent):
    return branch(dice, 7, 0.3, 0.09, '#6f7f4c')


def mint(dice, accent):
    return branch(dice, 5, 0.24, 0.17, '#5c8a4f', 0.7)


def wormwood(dice, accent):
    return branch(dice, 11, 0.17, 0.045, '#9aa690')


def lavender(dice, accent):
    stem, bloom = surface('#7f8a62', 0.7), surface('#8d7bb5', 0.7)
    parts = []
    for k in range(3):
        angle = math.radians(-14 + 14 * k)
        along = (math.cos(angle), math.sin(angle))
        foot, tip = [(side * along[0], side * along[1], z) for side, z in ((-0.5, 0.03), (0.5, 0.05 + 0.02 * k))]
        parts.append(rod(foot, tip, 0.01, stem))
        for i in range(11):
            t = 0.14 + 0.36 * i / 11
            for side in (-1, 0, 1):
                aside = side * 0.03
                place = (t * along[0] - aside * along[1], t * along[1] + aside * along[0], 0.05 + dice.uniform(0, 0.03))
                parts.append(ball(dice.uniform(0.018, 0.026), place, bloom, (1.4, 1, 1)))
    return parts


def pebbles(dice, accent):
    parts = []
    for x, y, r, colour in ((-0.12, 0.05, 0.15, '#b9b3a4'), (0.14, -0.04, 0.11, '#cfc8b8'), (0.02, -0.16, 0.07, '#a39b8b')):
        pebble = ball(r, (x, y, r * 0.6), stone(colour), (dice.uniform(1.1, 1.4), 1, 0.62))
        pebble.rotation_euler = (0, 0, dice.uniform(0, 3))
        parts.append(pebble)
    return parts


def berries(dice, accent):
    skin = surface(accent, 0.28, Specular=0.5, Subsurface=0.1, Subsurface_Color=linear(accent))
    places = [(-0.14, 0.02), (0.0, -0.06), (0.13, 0.03), (0.02, 0.12), (0.27, -0.08), (-0.27, -0.1)]
    return [ball(r, (x, y, r), skin) for x, y in places for r in (dice.uniform(0.06, 0.08),)]


def citrus(dice, accent):
    """Half a fruit, cut side to the camera, and a slice lying before it."""
    rind, flesh = uneven(surface(accent, 0.4), 40, 0.2), surface(rough=0.35, image=CITRUS, Specular=0.5)
    half = [lathe('half', [(0, -0.2)] + arc(0, 0, 0.21, -80, 0, 14) + [(0.2, 0.006)], rind), disc(0.2, 0.008, flesh)]
    whole = bpy.data.objects.new('half', None)
    bpy.context.scene.collection.objects.link(whole)
    for part in half:
        part.parent = whole
    whole.rotation_euler = (math.radians(70), 0, math.radians(12))
    whole.location = (0.06, 0.06, 0.2)
    slice_rind = lathe('slice', drum(0.185, 0, 0.045, 0.005, 0.005), rind)
    slice_face = disc(0.178, 0.048, flesh)
    for part in (slice_rind, slice_face):
        part.location = (-0.24, -0.16, 0)
    return [whole, slice_rind, slice_face]


def petals(dice, accent):
    tissue = surface(accent, 0.6, Specular=0.2)
    parts = []
    for _ in range(7):
        petal = leaf(dice.uniform(0.15, 0.2), dice.uniform(0.17, 0.22), tissue, 0.2)
        petal.location = (dice.uniform(-0.36, 0.36), dice.uniform(-0.2, 0.12), 0.012)
        petal.rotation_euler = (0, 0, dice.uniform(0, 6.3))
        parts.append(petal)
    return parts


def salt(dice, accent):
    """A small heap of crystals."""
    crystal = surface('#f4f1ea', 0.3, Specular=0.4)
    parts = []
    for _ in range(130):
        distance, angle, size = abs(dice.gauss(0, 0.16)), dice.uniform(0, 6.3), dice.uniform(0.014, 0.034)
        grain = slab('grain', size, size * 0.9, size * 0.8, crystal, size / 8, 1)
        heap = max(0, 0.09 - 0.5 * distance) * dice.random()
        grain.location = (distance * math.cos(angle), 0.6 * distance * math.sin(angle), heap)
        grain.rotation_euler = (dice.uniform(-0.6, 0.6), dice.uniform(-0.6, 0.6), dice.uniform(0, 3))
        parts.append(grain)
    return parts


def seeds(dice, accent):
    """Grains of oat, or whatever has the accent's colour."""
    husk = surface(accent, 0.6, Specular=0.2)
    parts = []
    for _ in range(34):
        distance, angle, r = abs(dice.gauss(0, 0.2)), dice.uniform(0, 6.3), dice.uniform(0.018, 0.024)
        place = (distance * math.cos(angle), 0.6 * distance * math.sin(angle), r * 0.9)
        grain = ball(r, place, husk, (2.3, 1, 0.85))
        grain.rotation_euler = (0, dice.uniform(-0.2, 0.2), dice.uniform(0, 3))
        parts.append(grain)
    return parts


def balls(dice, accent):
    """Bath balls: they fizz in water."""
    colours = [accent, '#f3ead6', '#cfd8c2', '#ecd0cf']
    places = [(-0.2, 0.05, 0.16), (0.12, 0.1, 0.15), (0.0, -0.16, 0.13), (0.34, -0.08, 0.13)]
    return [ball(r, (x, y, r), speckled(surface(rough=0.85), '#ffffff', colour, 34, between=(0.3, 0.95)))
            for (x, y, r), colour in zip(places, colours)]


def bundle(dice, accent):
    """Dried herbs tied with a thread, standing for a product that is nothing else."""
    straw, bloom, thread = surface('#a79a68', 0.8), surface('#8d9a6b', 0.8), surface('#e9dcc4', 0.8)
    parts = []
    for _ in range(80):
        angle, spread = dice.uniform(0, 6.3), dice.uniform(0, 0.12)
        foot = (spread * math.cos(angle) * 0.8, spread * math.sin(angle) * 0.8, 0)
        top = (spread * 1.9 * math.cos(angle), spread * 1.9 * math.sin(angle), dice.uniform(1.1, 1.5))
        parts.append(rod(foot, top, 0.009, straw))
        for _ in range(5):
            t = dice.uniform(0.6, 1)
            place = tuple(f + (p - f) * t + dice.uniform(-0.02, 0.02) for f, p in zip(foot, top))
            parts.append(ball(dice.uniform(0.018, 0.032), place, bloom, (1, 1, 1.4)))
    for z in (0.42, 0.45, 0.48, 0.51):
        parts.append(lathe('thread', arc(0.135, z, 0.018, 0, 360, 12), thread, 48))
    return parts


def plinth(width, height, colour):
    """A round stone to stand on."""
    return [lathe('plinth', drum(width / 2, 0, height, 0.012, 0.028), stone(colour))]


def board(width, depth, height):
    """A wooden board to stand on."""
    return [slab('board', width, depth, height, wood(), 0.02)]


def block(width, depth, height, colour):
    return [slab('block', width, depth, height, stone(colour), 0.025)]


PROPS = {make.__name__: make for make in (
    eucalyptus, olive, mint, wormwood, lavender, pebbles, berries, citrus, petals, salt, seeds, balls, bundle)}

# The picture of a cut citrus fruit; set before the first prop is made.
CITRUS = None


def scatter(kind, place, turn, scale, accent, seed):
    """Lays a prop at place, turned by degrees."""
    whole = bpy.data.objects.new(kind, None)
    bpy.context.scene.collection.objects.link(whole)
    for part in PROPS[kind](random.Random(seed), accent):
        part.parent = whole
    whole.location, whole.rotation_euler, whole.scale = place, (0, 0, math.radians(turn)), (scale,) * 3
    return whole
