"""Packages. Each body takes its size (an entry of bodies.json) and a look (materials, the label's picture) and returns
its parts with the height they reach; body() makes one whole thing of them."""
import math

import bpy

from forms import arc, ball, disc, drum, grid, lathe, panel, rod, slab, wrap
from materials import material, metal, paper, surface, uneven, wood

POSES = {
    # degrees around x, y, z, and the height of the origin
    'tin': ((64, 0, 8), 0.44),
    'puck': ((62, 0, -10), 0.42),
    'soap': ((0, 0, -16), 0),
    'tube': ((0, 0, -9), 0),
    'canister': ((0, 0, -10), 0),
    'pouch': ((0, 0, -8), 0),
    'carton': ((0, 0, -22), 0),
}
UPRIGHT = ((0, 0, -6), 0)

# The numbers by which passes know the parts of a package; 0 is whatever else lies in the picture.
SHELL, CAP, COLLAR, LABEL, INSIDE, BACKDROP, STONE = range(1, 8)
PARTS = {'shell': SHELL, 'cap': CAP, 'collar': COLLAR, 'inside': INSIDE}


class Look:
    """What a package is made of: shell, cap, collar and the printed label."""

    def __init__(self, shot):
        self.picture = shot['label']
        self.label = paper(self.picture)
        self.label.pass_index = LABEL
        self._shot = shot
        self._made = {}

    def __getattr__(self, part):
        if part not in PARTS:
            raise AttributeError(part)
        if part not in self._made:
            self._made[part] = material(self._shot[part])
            self._made[part].pass_index = PARTS[part]
        return self._made[part]


def shouldered(size, shoulder, neck, look, slope=75):
    """A round bottle up to its neck."""
    r, h = size['radius'], size['height']
    profile = ([(0, 0)] + arc(r - 0.05, 0.05, 0.05, -90, 0) + arc(r - shoulder, h - shoulder, shoulder, 0, slope)
               + [(neck, h + 0.03), (neck, h + 0.09), (0, h + 0.09)])
    return lathe('bottle', profile, look.shell)


def dropper(size, look):
    h = size['height']
    bulb = [(0.135, h + 0.26), (0.13, h + 0.4)] + arc(0.03, h + 0.56, 0.095, 0, 90) + [(0, h + 0.655)]
    return [
        shouldered(size, 0.16, 0.15, look),
        lathe('collar', drum(0.185, h + 0.05, h + 0.27, 0.015, 0.03), look.collar),
        lathe('bulb', bulb, look.cap),
        wrap(size['radius'], size['label'], look.label),
    ], h + 0.66


def vial(size, look):
    h = size['height']
    return [
        shouldered(size, 0.12, 0.12, look),
        lathe('cap', drum(0.15, h + 0.05, h + 0.72, 0.015, 0.05), look.cap),
        wrap(size['radius'], size['label'], look.label),
    ], h + 0.72


def jar(size, look):
    r, h = size['radius'], size['height']
    profile = [(0, 0)] + arc(r - 0.09, 0.09, 0.09, -90, 0) + arc(r - 0.03, h - 0.03, 0.03, 0, 90) + [(0, h)]
    return [
        lathe('jar', profile, look.shell),
        lathe('lid', drum(r + 0.012, h + 0.015, h + 0.3, 0.025, 0.035), look.cap),
        wrap(r, size['label'], look.label),
    ], h + 0.3


def pot(size, look):
    r, h = size['radius'], size['height']
    return [
        lathe('pot', drum(r, 0, h, 0.06, 0.05), look.shell),
        lathe('lid', drum(r - 0.02, h + 0.01, h + 0.22, 0.02, 0.03), look.cap),
        wrap(r, size['label'], look.label),
    ], h + 0.22


def pump(size, look):
    h = size['height']
    nozzle = slab('nozzle', 0.44, 0.13, 0.085, look.cap, 0.035)
    nozzle.location = (0.2, 0, h + 0.43)
    tip = slab('tip', 0.08, 0.1, 0.12, look.cap, 0.03)
    tip.location = (0.4, 0, h + 0.37)
    return [
        shouldered(size, 0.2, 0.16, look),
        lathe('collar', drum(0.2, h + 0.05, h + 0.22, 0.02, 0.03), look.cap),
        lathe('stem', drum(0.06, h + 0.2, h + 0.42, 0.01, 0.01), look.cap),
        lathe('head', drum(0.13, h + 0.4, h + 0.53, 0.03, 0.04), look.cap),
        nozzle, tip,
        wrap(size['radius'], size['label'], look.label),
    ], h + 0.53


def bottle(size, look):
    h = size['height']
    return [
        shouldered(size, 0.2, 0.16, look, 72),
        lathe('cap', drum(0.2, h + 0.06, h + 0.42, 0.015, 0.03), look.cap),
        wrap(size['radius'], size['label'], look.label),
    ], h + 0.42


def mist(size, look):
    h = size['height']
    return [
        shouldered(size, 0.14, 0.15, look),
        lathe('collar', drum(0.175, h + 0.05, h + 0.12, 0.01, 0.01), look.collar),
        lathe('cap', drum(0.17, h + 0.12, h + 0.52, 0.01, 0.05), look.cap),
        wrap(size['radius'], size['label'], look.label),
    ], h + 0.52


def trigger(size, look):
    h = size['height']
    head = slab('head', 0.62, 0.22, 0.2, look.cap, 0.07, 8)
    head.location = (0.06, 0, h + 0.34)
    neck = slab('neck', 0.2, 0.18, 0.2, look.cap, 0.05)
    neck.location = (-0.04, 0, h + 0.18)
    snout = slab('snout', 0.1, 0.15, 0.15, look.collar, 0.03)
    snout.location = (0.4, 0, h + 0.365)
    lever = slab('lever', 0.07, 0.15, 0.38, look.collar, 0.03)
    lever.location = (0.26, 0, h + 0.02)
    lever.rotation_euler = (0, math.radians(-14), 0)
    return [
        shouldered(size, 0.24, 0.15, look, 70),
        lathe('collar', drum(0.19, h + 0.04, h + 0.2, 0.015, 0.03), look.cap),
        head, neck, snout, lever,
        wrap(size['radius'], size['label'], look.label),
    ], h + 0.54


def tube(size, look):
    """Stands on its cap and narrows to a flat seam."""
    r, foot, top = size['radius'], 0.32, size['height']
    width = size['label']['width']
    def point(row, column):
        a = 2 * math.pi * column
        depth = r * (1 - row ** 1.6) + 0.012
        return ((r + 0.06 * row) * math.cos(a), depth * math.sin(a), foot + (top - foot) * row)
    print_ = surface(rough=0.42, image=look.picture)
    print_.pass_index = LABEL
    sleeve = grid('sleeve', 40, 96, point, print_, closed=True)
    layer = sleeve.data.uv_layers.active
    for face in sleeve.data.polygons:
        for loop in face.loop_indices:
            x, _, z = sleeve.data.vertices[sleeve.data.loops[loop].vertex_index].co
            layer.data[loop].uv = (0.5 + x / width, (z - foot) / (top - foot))
    seam = slab('seam', width - 0.01, 0.03, 0.12, look.shell, 0.01)
    seam.location = (0, 0, top - 0.01)
    return [
        sleeve, seam,
        lathe('cap', drum(0.33, 0, foot, 0.03, 0.02), look.cap),
        lathe('shoulder', [(0.33, foot - 0.01), (0.36, foot + 0.01)], look.cap),
    ], top + 0.11


def tin(size, look):
    r, h = size['radius'], size['height']
    return [
        lathe('base', drum(r, 0, 0.13, 0.03, 0.01), look.shell),
        lathe('lid', drum(r + 0.015, 0.1, h, 0.01, 0.03), look.shell),
        disc(size['label']['width'] / 2, h + 0.0025, look.label),
    ], 0.95


def soap(size, look):
    h, label = size['height'], size['label']
    band = slab('band', 1.27, 0.478, 0.46, look.cap, 0.05)
    band.location = (0, 0, h / 2 - 0.23)
    return [
        slab('bar', 1.25, 0.46, h, look.shell, 0.08, 8), band,
        panel(label['width'], label['height'], -0.2405, h / 2 - label['height'] / 2, look.label),
    ], h


def puck(size, look):
    """A round solid bar with its brand pressed in: the label is printed on a paper disc tied to it."""
    r, h = size['radius'], size['height']
    return [
        lathe('bar', drum(r, 0, h, 0.1, 0.1), look.shell),
        disc(size['label']['width'] / 2, h + 0.003, look.label),
    ], 0.95


def stick(size, look):
    r, h = size['radius'], size['height']
    return [
        lathe('base', drum(r, 0, h, 0.04, 0.015), look.shell),
        lathe('ring', drum(r * 0.985, h, h + 0.035, 0.002, 0.002), look.collar),
        lathe('cap', drum(r, h + 0.035, h + 0.47, 0.015, 0.06), look.cap),
        wrap(r, size['label'], look.label),
    ], h + 0.47


def lipstick(size, look):
    """A small balm stick, open, its cap lying beside it."""
    r, h = size['radius'], size['height']
    cap = lathe('cap', drum(r + 0.01, 0, 0.42, 0.02, 0.03), look.cap, 64)
    cap.rotation_euler = (math.radians(90), 0, math.radians(62))
    cap.location = (0.5, -0.16, r + 0.01)
    balm = lathe('balm', drum(r - 0.025, h, h + 0.2, 0.01, 0.06), look.inside, 64)
    return [
        lathe('base', drum(r, 0, h, 0.02, 0.01), look.shell, 64), balm, cap,
        wrap(r, size['label'], look.label),
    ], h + 0.2


def rollon(size, look):
    h = size['height']
    return [
        shouldered(size, 0.1, 0.2, look),
        lathe('collar', drum(0.235, h + 0.04, h + 0.1, 0.01, 0.01), look.collar),
        lathe('cap', drum(0.245, h + 0.1, h + 0.52, 0.015, 0.12), look.cap),
        wrap(size['radius'], size['label'], look.label),
    ], h + 0.52


def canister(size, look):
    h, label = size['height'], size['label']
    return [
        slab('canister', 2 * size['radius'], 0.62, h, look.shell, 0.2, 12),
        lathe('neck', drum(0.17, h - 0.05, h + 0.07, 0.01, 0.01), look.shell),
        lathe('cap', drum(0.2, h + 0.05, h + 0.31, 0.015, 0.04), look.cap),
        panel(label['width'], label['height'], -0.3125, 0.24, look.label),
    ], h + 0.31


def pouch(size, look):
    """A refill bag: full at the foot, flat at the top, with a spout in the corner."""
    width, h = 2 * size['radius'], size['height']
    def side(front):
        def point(row, column):
            across = 2 * column - 1
            belly = 0.34 * (1 - row) ** 0.6 * (1 - abs(across) ** 2.4) + 0.008
            rise = 0.07 * across ** 2 * (1 - row) ** 2
            x = across * width / 2 * (1 - 0.05 * math.sin(math.pi * row))
            return (x, -belly if front else belly, h * row + rise)
        return point
    foil = uneven(surface(rough=0.38, image=look.picture), 2.6, 0.5, 1)
    foil.pass_index = LABEL
    spout = lathe('spout', drum(0.12, 0, 0.2, 0.02, 0.03), look.cap, 64)
    spout.location = (-width / 2 + 0.24, 0, h + 0.02)
    neck = lathe('neck', drum(0.075, 0, 0.1), look.cap, 48)
    neck.location = (-width / 2 + 0.24, 0, h - 0.05)
    return [grid('front', 60, 60, side(True), foil), grid('back', 60, 60, side(False), look.shell), spout, neck], h + 0.2


def candle(size, look):
    r, h = size['radius'], size['height']
    glass = ([(0, 0)] + arc(r - 0.05, 0.05, 0.05, -90, 0) + [(r, h - 0.01), (r - 0.015, h), (r - 0.035, h - 0.01),
             (r - 0.035, 0.1), (0, 0.1)])
    return [
        lathe('glass', glass, look.shell),
        lathe('wax', [(0, 0.101)] + drum(r - 0.04, 0.101, h * 0.9, 0.01, 0.005)[1:], look.inside),
        rod((0, 0, h * 0.89), (0.015, 0, h * 1.07), 0.014, surface('#4a3c2c', 0.9)),
        wrap(r, size['label'], look.label),
    ], h


def diffuser(size, look):
    h = size['height']
    reeds = [rod((0.02 * math.cos(a), 0.02 * math.sin(a), 0.1),
                 (0.42 * math.cos(a), 0.3 * math.sin(a), h + 1.02 - 0.05 * i), 0.014, wood())
             for i, a in enumerate((0.5, 1.5, 2.7, 3.9, 5.2, 6.1))]
    return [
        shouldered(size, 0.2, 0.13, look),
        lathe('collar', drum(0.16, h + 0.03, h + 0.16, 0.01, 0.02), look.collar),
        *reeds, wrap(size['radius'], size['label'], look.label),
    ], h + 1.0


def carton(size, look):
    label = size['label']
    return [
        slab('carton', label['width'], 0.5, label['height'], look.shell, 0.012, 2),
        panel(label['width'] - 0.02, label['height'] - 0.02, -0.2515, 0.01, look.label),
    ], size['height']


def tub(size, look):
    """A paper tube with a lid, for powders and salts."""
    r, h = size['radius'], size['height']
    return [
        lathe('tub', drum(r, 0, h, 0.01, 0.01), look.shell),
        lathe('rim', drum(r + 0.014, h - 0.01, h + 0.2, 0.012, 0.015), look.cap),
        wrap(r, size['label'], look.label),
    ], h + 0.2


MAKERS = {make.__name__: make for make in (
    dropper, vial, jar, pot, pump, bottle, mist, trigger, tube, tin, soap, puck, stick, lipstick, rollon, canister,
    pouch, candle, diffuser, carton, tub)}


def body(shot, sizes):
    """Builds the package of a shot and returns it standing at the origin, with its height and radius."""
    size = sizes[shot['body']]
    parts, height = MAKERS[shot['body']](size, Look(shot))
    whole = bpy.data.objects.new(shot['name'], None)
    bpy.context.scene.collection.objects.link(whole)
    for part in parts:
        part.parent = whole
    turn, lift = POSES.get(shot['body'], UPRIGHT)
    whole.rotation_euler = [math.radians(d) for d in turn]
    whole.location = (0, 0, lift)
    return whole, height, size['radius']
