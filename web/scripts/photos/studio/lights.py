"""The room: backdrop, light, camera."""
import math
import random

import bpy
from mathutils import Vector

from forms import add, smooth
from materials import surface


def towards(thing, place, target):
    thing.location = place
    thing.rotation_euler = (Vector(target) - Vector(place)).to_track_quat('-Z', 'Y').to_euler()


def backdrop(colour, wall=2.6, bend=1.6):
    """A sheet of paper that rises behind the goods at y = wall."""
    turns = [i / 24 * math.pi / 2 for i in range(25)]
    curve = [(wall - bend + bend * math.sin(t), bend - bend * math.cos(t)) for t in turns]
    profile = [(-7, 0)] + curve + [(wall, 14)]
    count = len(profile)
    mesh = bpy.data.meshes.new('backdrop')
    mesh.from_pydata([(x, y, z) for x in (-30, 30) for y, z in profile], [],
                     [(k, count + k, count + k + 1, k + 1) for k in range(count - 1)])
    smooth(mesh, 60)
    return add('backdrop', mesh, surface(colour, 0.85, Specular=0.2))


def lamp(place, target, size, watts, colour=(1, 1, 1), height=None):
    light = bpy.data.lights.new('lamp', 'AREA')
    light.energy, light.color, light.size = watts, colour, size
    if height:
        light.shape, light.size_y = 'RECTANGLE', height
    thing = bpy.data.objects.new('lamp', light)
    bpy.context.scene.collection.objects.link(thing)
    towards(thing, place, target)


def sun(turn, strength, angle):
    light = bpy.data.lights.new('sun', 'SUN')
    light.energy, light.angle, light.color = strength, math.radians(angle), (1, 0.94, 0.84)
    thing = bpy.data.objects.new('sun', light)
    bpy.context.scene.collection.objects.link(thing)
    thing.rotation_euler = [math.radians(d) for d in turn]


def sky(strength, colour=(1, 1, 1, 1)):
    world = bpy.data.worlds.new('sky')
    bpy.context.scene.world = world
    world.use_nodes = True
    background = world.node_tree.nodes['Background']
    background.inputs[0].default_value, background.inputs[1].default_value = colour, strength


def branch_shadow(place, target, leaves, scale, seed):
    """A branch out of sight between the sun and the goods."""
    dice = random.Random(seed)
    outline = [(side * 0.16 * math.sin(math.pi * t) ** 0.8 * (1 - 0.25 * t), t, 0)
               for side, steps in ((1, range(13)), (-1, range(12, -1, -1))) for t in (i / 12 for i in steps)]
    mesh = bpy.data.meshes.new('leaf')
    mesh.from_pydata(outline, [], [tuple(range(len(outline)))])
    material = surface('#35502f', 0.7)
    whole = bpy.data.objects.new('branch', None)
    bpy.context.scene.collection.objects.link(whole)
    for i in range(leaves):
        t = i / leaves
        leaf = bpy.data.objects.new('leaf', mesh)
        bpy.context.scene.collection.objects.link(leaf)
        if i == 0:
            mesh.materials.append(material)
        leaf.parent = whole
        leaf.location = (0.25 * math.sin(5 * t), 3.2 * (t - 0.5), 0)
        leaf.rotation_euler = (dice.uniform(-0.4, 0.4), dice.uniform(-0.4, 0.4),
                               math.radians((1 if i % 2 else -1) * dice.uniform(40, 78)))
        leaf.scale = (dice.uniform(0.8, 1.15),) * 3
    whole.scale = (scale,) * 3
    towards(whole, place, target)


def window_shadow(place, target, scale):
    """The frame of a window out of sight between the sun and the goods."""
    material = surface('#5a5a5a', 0.9)
    whole = bpy.data.objects.new('window', None)
    bpy.context.scene.collection.objects.link(whole)
    bars = [((x, 0, 0), (0.16, 6)) for x in (-2.1, -0.7, 0.7, 2.1)] + [((0, y, 0), (6, 0.16)) for y in (-1.9, 0, 1.9)]
    for middle, (width, height) in bars:
        mesh = bpy.data.meshes.new('bar')
        corners = [(x * width / 2, y * height / 2, 0) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
        mesh.from_pydata(corners, [], [(0, 1, 2, 3)])
        bar = add('bar', mesh, material)
        bar.parent, bar.location = whole, middle
    whole.scale = (scale,) * 3
    towards(whole, place, target)


def light(kind, height, reach=1.0):
    """Lights goods of a height: 'left' and 'right' are a large window on that side, 'leaves' and 'window' sunshine that
    falls through a branch or a window, 'top' a bright overcast day. Reach widens the light for groups."""
    side = -1 if kind == 'right' else 1
    warm, cool = (1, 0.965, 0.9), (0.95, 0.98, 1)
    middle = (0, 0, height * 0.45)
    strength = reach ** 1.6
    sky(0.36 if kind != 'top' else 0.5)
    key = {'leaves': 150, 'window': 150, 'top': 210}.get(kind, 360)
    lamp((-3.4 * side * reach, -2.0 * reach, 4.0 * reach), middle, 1.7 * reach, key * strength, warm)
    lamp((3.6 * side * reach, -2.2 * reach, 2.2 * reach), middle, 2.6 * reach, 38 * strength, cool)
    lamp((1.9 * side * reach, 0.9, 1.6), middle, 0.5, 45 * strength, height=2.4)
    lamp((0, 1.6, 4), (0, 1.6, 0), 3 * reach, 60 * strength)
    if kind == 'top':
        lamp((0, -1.0, 5), middle, 4, 150 * strength)
    if kind == 'leaves':
        sun((44, -38, 0), 2.1, 1.4)
        branch_shadow((-3.6, -0.6, 4.6), (0.1, 0.8, 0.7), 22, 1.35 * reach, 8)
    if kind == 'window':
        sun((46, -42, 0), 2.1, 1.6)
        window_shadow((-3.7, -1.2, 4.2), (0, 0.6, 0.5), 0.62 * reach)


def camera(place, target, lens, focus=None):
    """Looks at a target; with focus, a distance, everything else gets softer."""
    eye = bpy.data.cameras.new('camera')
    eye.lens = lens
    if focus:
        eye.dof.use_dof, eye.dof.aperture_fstop, eye.dof.focus_distance = True, 4.0, focus
    thing = bpy.data.objects.new('camera', eye)
    bpy.context.scene.collection.objects.link(thing)
    towards(thing, place, target)
    bpy.context.scene.camera = thing
