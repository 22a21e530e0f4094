"""Renders packages without their print and their colours, as passes that ../compose.mjs colours and prints on, so that
many products share one rendering:

    blender -b -P passes.py -- SETS.json FOLDER

Each set leaves FOLDER/<name>.coarse and .fine: arrays of float32, row by row from the bottom, all channels of a pixel
together. Coarse: diffuse, glossy and transmitted light (three channels each, as logarithms, without grain), normal,
part. Fine: normal, part, UV, colour of the surface. Parts are numbered in bodies.py. FOLDER/filmic.f32 is the film's
answer to light as a cube of 48 steps from 10 stops below to 6.5 above a grey of 0.18."""
import json
import os
import shutil
import sys

import bpy
import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import props
from bodies import BACKDROP, STONE, body
from denoise import smoothed
from lights import backdrop, camera, light
from shoot import DISTANCE, FINE

SAMPLES = 14
# Light does not care for the colour of what it falls on, but for how bright the room is.
NEUTRAL = {'plastic': '#c9c6c0', 'glass': 'glass #c3c3c3', 'frost': 'frost #c3c3c3', 'metal': 'metal #ffffff'}
USUAL = {'light': 'left', 'stand': '', 'props': [], 'side': 0, 'above': 1.15, 'accent': '#b9a06a', 'seed': 1,
         'cap': 'wood', 'collar': 'metal #ffffff', 'inside': '#efe9dc'}
STEPS = 48
LIGHTS = (('DiffDir', 'DiffInd'), ('GlossDir', 'GlossInd'), ('TransDir', 'TransInd'))
COARSE = ('DiffDir', 'DiffInd', 'GlossDir', 'GlossInd', 'GlossCol', 'TransDir', 'TransInd', 'Normal', 'IndexMA')
FINE_PASSES = ('Normal', 'IndexMA', 'UV', 'DiffCol')


def marked(things, part):
    for thing in things:
        for slot in thing.material_slots:
            slot.material.pass_index = part
    return things


def build(shot, sizes):
    whole, height, radius = body(shot, sizes)
    lift = 0
    if shot['stand'] == 'plinth':
        lift = 0.14
        marked(props.plinth(2 * radius + 0.55, lift, '#d9d5cc'), STONE)
    elif shot['stand'] == 'board':
        lift = 0.09
        props.board(2 * radius + 0.7, 0.95, lift)
    elif shot['stand'] == 'block':
        lift = 0.2
        marked(props.block(2 * radius + 0.4, 0.9, lift, '#d9d5cc'), STONE)
    whole.location.z += lift
    side = -1 if shot['light'] == 'right' else 1
    near = (radius + 0.12, -0.66) if lift else (0.6 * radius + 0.3, -0.3 - 0.5 * radius)
    for i, kind in enumerate(shot['props']):
        place = (side * near[0] * (1 - 2 * i), near[1], 0)
        props.scatter(kind, place, side * 20 * (1 - 2 * i), 0.85, shot['accent'], shot['seed'] + i)
    marked([backdrop('#d6d1c7')], BACKDROP)
    light(shot['light'], height)
    top = height + lift
    shown = max(top / 0.7, (2 * radius + (0.32 if shot['props'] or lift else 0)) / 0.8 / 0.7)
    camera((shot['side'], -DISTANCE, top / 2 + shot['above']), (0, 0, top / 2 + 0.02), 36 * DISTANCE / shown)


def passes(scene, folder, names, percent, samples):
    scene.render.resolution_percentage, scene.cycles.samples = percent, samples
    tree = scene.node_tree
    tree.nodes.clear()
    layers, files = tree.nodes.new('CompositorNodeRLayers'), tree.nodes.new('CompositorNodeOutputFile')
    files.base_path, files.format.file_format, files.format.color_depth = folder, 'OPEN_EXR', '32'
    files.format.exr_codec = 'NONE'
    files.file_slots.clear()
    for name in names:
        files.file_slots.new(name)
        tree.links.new(layers.outputs[name], files.inputs[name])
    tree.links.new(layers.outputs['Image'], tree.nodes.new('CompositorNodeComposite').inputs[0])
    bpy.ops.render.render(write_still=False)
    found = {}
    for name in names:
        image = bpy.data.images.load(os.path.join(folder, name + '0001.exr'))
        image.colorspace_settings.name = 'Non-Color'
        pixels = np.empty(image.size[0] * image.size[1] * 4, np.float32)
        image.pixels.foreach_get(pixels)
        found[name] = pixels.reshape(image.size[1], image.size[0], 4)[..., :3].copy()
        bpy.data.images.remove(image)
    return found


def render(shot, sizes, folder):
    scene, cycles = bpy.context.scene, bpy.context.scene.cycles
    build(shot, sizes)
    scene.render.engine = 'CYCLES'
    scene.render.resolution_x, scene.render.resolution_y = 640, 800
    scene.render.threads_mode, scene.render.threads = 'FIXED', 1
    cycles.device, cycles.use_denoising, cycles.use_adaptive_sampling = 'CPU', False, False
    cycles.max_bounces, cycles.transmission_bounces, cycles.glossy_bounces, cycles.diffuse_bounces = 5, 5, 2, 1
    cycles.caustics_reflective = cycles.caustics_refractive = False
    cycles.sample_clamp_indirect, cycles.blur_glossy = 3, 1
    view = scene.view_layers[0]
    for name in ('normal', 'uv', 'material_index', 'diffuse_color', 'glossy_color', *(
            f'{kind}_{way}' for kind in ('diffuse', 'glossy', 'transmission') for way in ('direct', 'indirect'))):
        setattr(view, f'use_pass_{name}', True)
    scene.use_nodes = True
    work = os.path.join(folder, shot['name'] + '.passes')
    lit = passes(scene, work, COARSE, 50, SAMPLES)
    part = np.rint(lit['IndexMA'][..., :1])
    guide = np.concatenate((part * 0.7 % 1, part * 0.37 % 1, part * 0.53 % 1), -1).astype(np.float32)
    light_of = []
    for direct, indirect in LIGHTS:
        whole = lit[direct] + lit[indirect]
        if direct == 'GlossDir':
            whole = whole * lit['GlossCol']
        light_of.append(smoothed(np.log1p(np.clip(whole, 0, 100)), guide, lit['Normal']))
    keep = os.path.join(folder, shot['name'])
    np.concatenate((*light_of, lit['Normal'], part), -1).astype('<f4').tofile(keep + '.coarse')
    for lamp in [thing for thing in scene.objects if thing.type == 'LIGHT']:
        bpy.data.objects.remove(lamp)
    scene.world.node_tree.nodes['Background'].inputs[1].default_value = 0
    cycles.max_bounces = 0
    sharp = passes(scene, work, FINE_PASSES, 100 * FINE, 1)
    shutil.rmtree(work)
    seen = (sharp['Normal'], np.rint(sharp['IndexMA'][..., :1]), sharp['UV'][..., :2], sharp['DiffCol'])
    np.concatenate(seen, -1).astype('<f4').tofile(keep + '.fine')


def film(folder):
    """Writes down how Blender's film answers to light."""
    scene = bpy.context.scene
    scene.view_settings.view_transform, scene.view_settings.look = 'Filmic', 'High Contrast'
    scene.view_settings.exposure = -0.08
    stops = 0.18 * 2 ** (np.arange(STEPS, dtype=np.float32) / (STEPS - 1) * 16.5 - 10)
    cube = np.ones((STEPS * STEPS, STEPS, 4), np.float32)
    blue, green, red = np.meshgrid(stops, stops, stops, indexing='ij')
    cube[..., 0], cube[..., 1], cube[..., 2] = (x.reshape(STEPS * STEPS, STEPS) for x in (red, green, blue))
    image = bpy.data.images.new('cube', STEPS, STEPS * STEPS, float_buffer=True)
    image.pixels.foreach_set(cube.ravel())
    image.update()
    settings = scene.render.image_settings
    settings.file_format, settings.color_mode, settings.color_depth = 'PNG', 'RGB', '16'
    out = os.path.join(folder, 'filmic.png')
    image.save_render(out, scene=scene)
    seen = bpy.data.images.load(out)
    seen.colorspace_settings.name = 'Non-Color'
    pixels = np.empty(STEPS ** 3 * 4, np.float32)
    seen.pixels.foreach_get(pixels)
    pixels.reshape(-1, 4)[:, :3].astype('<f4').tofile(os.path.join(folder, 'filmic.f32'))


def main(plan, folder):
    with open(plan, encoding='utf-8') as file:
        plan = json.load(file)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    film(folder)
    blank = os.path.join(folder, 'blank.png')
    for shot in plan['sets']:
        if os.path.exists(os.path.join(folder, shot['name'] + '.fine')):
            continue
        bpy.ops.wm.read_factory_settings(use_empty=True)
        white = bpy.data.images.new('blank', 4, 4)
        white.pixels.foreach_set(np.full(64, 0.72, np.float32))
        white.filepath_raw, white.file_format = blank, 'PNG'
        white.save()
        render({**USUAL, 'label': blank, **shot, 'shell': NEUTRAL[shot['shell']]}, plan['sizes'], folder)
        print('SET', shot['name'], flush=True)


main(*sys.argv[sys.argv.index('--') + 1:])
