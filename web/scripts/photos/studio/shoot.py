"""Takes one picture of the plan that render.mjs writes:

    blender -b -P shoot.py -- PLAN.json NAME OUT.png
"""
import json
import math
import os
import shutil
import sys

import bpy
import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import props
from bodies import body
from denoise import clean, enlarge, shrunk
from forms import grid, slab
from lights import backdrop, camera, lamp, light, sky
from materials import surface, uneven

DISTANCE = 9.0
# Rays for each pixel of the light, whose grain is taken out. An outline's pixel has one, so that it lies on one thing only.
LIGHT_SAMPLES, OUTLINE_SAMPLES = 10, 1
# The light is rendered at half the picture's size, the outlines at this multiple of it.
FINE = 2
PASSES = ('Image', 'Normal', 'DiffCol', 'TransCol')


def product(shot, sizes):
    """One package in the middle, with what belongs to it around its foot."""
    if shot['body'] == 'none':
        itself, *beside = shot['props']
        whole = props.scatter(itself, (0, 0, 0), -8, shot['scale'], shot['accent'], shot['seed'])
        height, radius = {'balls': (0.6, 0.56), 'bundle': (1.5, 0.3)}[itself]
    else:
        whole, height, radius = body(shot, sizes)
        beside = shot['props']
    lift = 0
    if shot['stand'] == 'plinth':
        lift = 0.14
        props.plinth(2 * radius + 0.55, lift, shot['stone'])
    elif shot['stand'] == 'board':
        lift = 0.09
        props.board(2 * radius + 0.7, 0.95, lift)
    elif shot['stand'] == 'block':
        lift = 0.2
        props.block(2 * radius + 0.4, 0.9, lift, shot['stone'])
    whole.location.z += lift
    if lift:
        places = [((radius + 0.12, -0.66, 0), 14), ((-radius - 0.16, -0.64, 0), -16)]
    else:
        places = [((0.6 * radius + 0.3, -0.3 - 0.5 * radius, 0), 24), ((-0.6 * radius - 0.36, -0.2 - 0.4 * radius, 0), -24)]
    if shot['light'] == 'right':
        places.reverse()
    for i, (kind, (place, turn)) in enumerate(zip(beside, places)):
        props.scatter(kind, place, turn, 0.85, shot['accent'], shot['seed'] + i)
    backdrop(shot['backdrop'])
    light(shot['light'], height)
    top = height + lift
    shown = max(top / 0.7, (2 * radius + (0.32 if beside or lift else 0)) / 0.8 / 0.7)
    camera((shot['side'], -DISTANCE, top / 2 + shot['above']), (0, 0, top / 2 + 0.02), 36 * DISTANCE / shown)


def group(shot, sizes):
    """Several packages on stones of several heights."""
    for i, item in enumerate(shot['items']):
        whole, _, radius = body(item, sizes)
        x, y, lift = item['place']
        whole.scale = (item['scale'],) * 3
        whole.location = (x, y, whole.location.z * item['scale'] + lift)
        whole.rotation_euler.z += math.radians(item['turn'])
        if lift:
            for part in props.plinth(2 * radius * item['scale'] + 0.5, lift, item['stone']):
                part.location = (x, y + 0.05, 0)
    for i, (kind, x, y, turn) in enumerate(shot['props']):
        props.scatter(kind, (x, y, 0), turn, 0.95, shot['accent'], shot['seed'] + i)
    backdrop(shot['backdrop'], wall=3.4, bend=2.2)
    light(shot['light'], 1.4, reach=1.25)
    shown = shot['shown']
    long_side = max(shot['width'], shot['height'])
    lens = 36 * 9.6 / (shown * long_side / shot['height'])
    camera((shot['side'], -9.6, shot['above']), (0, 0.2, shot['level']), lens, focus=9.6)


def wave(kind, x, y):
    """The height of cream, clay or drops of a clear liquid at a place."""
    r, t = math.hypot(x, y), math.atan2(y, x)
    if kind == 'cream':
        edge = 1 + 0.07 * math.sin(3 * t + 1) + 0.05 * math.sin(7 * t)
        fall = max(0, 1 - (r / edge) ** 2.6)
        swirl = 0.085 * math.sin(2 * t - 9.5 * r + 1.2) * min(1, 2.2 * r) + 0.16 * max(0, 1 - 2.6 * r) ** 1.5
        return fall ** 0.55 * (0.3 + swirl)
    if kind == 'clay':
        edge = 0.98 + 0.06 * math.sin(4 * t) + 0.04 * math.sin(9 * t + 2)
        fall = max(0, 1 - (r / edge) ** 5)
        return fall ** 0.6 * (0.2 + 0.045 * math.sin(11 * r - t + 0.8 * math.sin(3 * t)))
    drops = ((0, 0, 0.62), (0.86, 0.42, 0.17), (0.74, -0.62, 0.12), (-0.92, 0.5, 0.1), (-0.8, -0.66, 0.14))
    height = 0
    for i, (cx, cy, size) in enumerate(drops):
        edge = size * (1 + (0.16 * math.sin(2 * t + 0.6) + 0.08 * math.sin(5 * t + 2)) * (i == 0))
        distance = math.hypot(x - cx, y - cy) / edge
        if distance < 1:
            height = max(height, (0.085 if i == 0 else 0.46 * size) * (1 - distance ** 4) ** 0.5)
    return height


def texture(shot, sizes):
    """The product itself, from above."""
    kind, fine = shot['texture'], 380
    rough, coat = {'cream': (0.28, 0.35), 'clay': (0.7, 0)}.get(kind, (0.05, 0.8))
    def point(row, column):
        x, y = (column * 2 - 1) * 1.35, (row * 2 - 1) * 1.35
        return (x, y, wave(kind, x, y) - 0.004)
    smear = surface(shot['colour'], rough, Clearcoat=coat)
    grid('smear', fine, fine, point, uneven(smear, 16, 0.5, 6) if kind == 'clay' else smear)
    table = slab('table', 9, 9, 0.1, uneven(surface(shot['backdrop'], 0.75, Specular=0.2), 60, 0.03), 0.01)
    table.location.z = -0.1
    for i, (prop, x, y, turn) in enumerate(shot['props']):
        props.scatter(prop, (x, y, 0), turn, 1.0, shot['accent'], shot['seed'] + i)
    sky(0.36)
    side = -1 if shot['light'] == 'right' else 1
    lamp((-3.0 * side, 2.2, 1.9), (0, 0, 0), 1.0, 210, (1, 0.965, 0.9))
    lamp((3.2 * side, -2.4, 2.6), (0, 0, 0), 2.6, 45, (0.95, 0.98, 1))
    camera((0, -3.2, 6.2), (0, 0, 0.05), shot['lens'])


def expose(scene, folder, percent, samples):
    """Renders the scene and returns its picture, its normals and the colours of its surfaces."""
    scene.render.resolution_percentage, scene.cycles.samples = percent, samples
    bpy.ops.render.render(write_still=False)
    passes = []
    for name in PASSES:
        image = bpy.data.images.load(os.path.join(folder, name + '0001.exr'))
        image.colorspace_settings.name = 'Non-Color'
        pixels = np.empty(image.size[0] * image.size[1] * 4, np.float32)
        image.pixels.foreach_get(pixels)
        passes.append(pixels.reshape(image.size[1], image.size[0], 4)[..., :3])
        bpy.data.images.remove(image)
    picture, normals, opaque, clear = passes
    return picture, normals, opaque + clear


def render(shot, out):
    """Renders the light coarsely and the outlines finely, and writes both together as a PNG."""
    scene, cycles = bpy.context.scene, bpy.context.scene.cycles
    scene.render.engine = 'CYCLES'
    scene.render.resolution_x, scene.render.resolution_y = shot['width'], shot['height']
    scene.render.threads_mode, scene.render.threads, scene.render.use_persistent_data = 'FIXED', 2, True
    cycles.device, cycles.use_denoising = 'CPU', False
    cycles.use_adaptive_sampling = False
    cycles.max_bounces, cycles.transmission_bounces, cycles.glossy_bounces, cycles.diffuse_bounces = 5, 5, 2, 1
    cycles.caustics_reflective = cycles.caustics_refractive = False
    cycles.sample_clamp_indirect, cycles.blur_glossy = 3, 1
    scene.view_settings.view_transform, scene.view_settings.look = 'Filmic', 'High Contrast'
    scene.view_settings.exposure = shot['exposure']
    view = scene.view_layers[0]
    view.use_pass_normal = view.use_pass_diffuse_color = view.use_pass_transmission_color = True

    scene.use_nodes = True
    tree = scene.node_tree
    tree.nodes.clear()
    layers, files = tree.nodes.new('CompositorNodeRLayers'), tree.nodes.new('CompositorNodeOutputFile')
    folder = out + '.passes'
    files.base_path, files.format.file_format, files.format.color_depth = folder, 'OPEN_EXR', '32'
    files.format.exr_codec = 'NONE'
    files.file_slots.clear()
    for name in PASSES:
        files.file_slots.new(name)
        tree.links.new(layers.outputs[name], files.inputs[name])
    tree.links.new(layers.outputs['Image'], tree.nodes.new('CompositorNodeComposite').inputs[0])

    lit, coarse_normals, coarse_colours = expose(scene, folder, 50, LIGHT_SAMPLES)
    # Outlines need no light.
    for lamp_or_sun in [thing for thing in scene.objects if thing.type == 'LIGHT']:
        bpy.data.objects.remove(lamp_or_sun)
    scene.world.node_tree.nodes['Background'].inputs[1].default_value = 0
    cycles.max_bounces = 0
    _, normals, colours = expose(scene, folder, 100 * FINE, OUTLINE_SAMPLES)
    shutil.rmtree(folder)

    picture = np.ones((shot['height'], shot['width'], 4), np.float32)
    brightness = clean(lit, coarse_colours, coarse_normals)
    fine = enlarge(brightness, coarse_colours, coarse_normals, colours, normals, 2 * FINE)
    picture[..., :3] = shrunk(fine, FINE)
    image = bpy.data.images.new('picture', shot['width'], shot['height'], float_buffer=True)
    image.pixels.foreach_set(picture.ravel())
    image.update()
    scene.render.image_settings.file_format, scene.render.image_settings.color_mode = 'PNG', 'RGB'
    image.save_render(out, scene=scene)


def main(plan, name, out):
    with open(plan, encoding='utf-8') as file:
        plan = json.load(file)
    shot = next(s for s in plan['shots'] if s['name'] == name)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    props.CITRUS = plan['citrus']
    {'product': product, 'group': group, 'texture': texture}[shot['kind']](shot, plan['sizes'])
    render(shot, out)


if __name__ == '__main__':
    main(*sys.argv[sys.argv.index('--') + 1:])
