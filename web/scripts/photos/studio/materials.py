"""Surfaces: plastics, glass, metal, wood, paper, stone. Colours are given as on the web, '#rrggbb'."""
import bpy


def linear(colour):
    """The linear RGBA of a web colour."""
    channels = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    return tuple(c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels) + (1,)


def surface(colour=None, rough=0.4, image=None, **inputs):
    """A Principled material; inputs are its sockets by name, such as Metallic=1."""
    material = bpy.data.materials.new('surface')
    material.use_nodes = True
    shader = material.node_tree.nodes['Principled BSDF']
    shader.inputs['Roughness'].default_value = rough
    if colour:
        shader.inputs['Base Color'].default_value = linear(colour)
    for name, value in inputs.items():
        shader.inputs[name.replace('_', ' ')].default_value = value
    if image:
        texture = material.node_tree.nodes.new('ShaderNodeTexImage')
        texture.image = bpy.data.images.load(image)
        texture.extension = 'EXTEND'
        texture.interpolation = 'Cubic'
        material.node_tree.links.new(texture.outputs['Color'], shader.inputs['Base Color'])
    return material


def uneven(material, scale, strength, detail=2):
    """Gives a material small bumps, so many to a unit."""
    nodes, link = material.node_tree.nodes, material.node_tree.links.new
    noise, bump = nodes.new('ShaderNodeTexNoise'), nodes.new('ShaderNodeBump')
    noise.inputs['Scale'].default_value = scale
    noise.inputs['Detail'].default_value = detail
    bump.inputs['Strength'].default_value = strength
    bump.inputs['Distance'].default_value = 0.02
    link(noise.outputs['Fac'], bump.inputs['Height'])
    link(bump.outputs['Normal'], nodes['Principled BSDF'].inputs['Normal'])
    return material


def speckled(material, light, dark, scale, stretch=(1, 1, 1), distortion=0.0, between=(0.32, 0.7)):
    """Colours a material by noise that runs from dark to light."""
    nodes, link = material.node_tree.nodes, material.node_tree.links.new
    place, mapping = nodes.new('ShaderNodeTexCoord'), nodes.new('ShaderNodeMapping')
    noise, ramp = nodes.new('ShaderNodeTexNoise'), nodes.new('ShaderNodeValToRGB')
    mapping.inputs['Scale'].default_value = stretch
    noise.inputs['Scale'].default_value = scale
    noise.inputs['Detail'].default_value = 8
    noise.inputs['Distortion'].default_value = distortion
    for element, position, colour in zip(ramp.color_ramp.elements, between, (dark, light)):
        element.position, element.color = position, linear(colour)
    link(place.outputs['Object'], mapping.inputs['Vector'])
    link(mapping.outputs['Vector'], noise.inputs['Vector'])
    link(noise.outputs['Fac'], ramp.inputs['Fac'])
    link(ramp.outputs['Color'], nodes['Principled BSDF'].inputs['Base Color'])
    return material


def glass(colour, rough=0.05):
    """Coloured glass, full to the brim: with rough above 0.15 it looks frosted."""
    return surface(colour, rough, Transmission=0.92, IOR=1.46)


def metal(colour='#d9d6cf', rough=0.26):
    return surface(colour, rough, Metallic=1)


def wood():
    return speckled(surface(rough=0.55), '#dcb27c', '#a8763f', 5, stretch=(1.2, 9, 9), distortion=1.2)


def stone(colour):
    return uneven(surface(colour, 0.8, Specular=0.25), 35, 0.06)


def paper(image):
    """A printed label."""
    return uneven(surface(rough=0.6, image=image, Specular=0.3), 220, 0.05)


def material(look):
    """A material by its name or colour, as looks in brands.json and shots.json name it: 'glass #7a3508', 'frost
    #e9a7a6', 'metal', 'metal #c9a45c', 'wood', 'soap #cfc3dc', 'wax #f3ead6' or a bare colour for plastic."""
    kind, _, colour = look.rpartition(' ')
    if look in ('wood', 'metal'):
        return wood() if look == 'wood' else metal()
    makers = {
        '': lambda: surface(colour, 0.36),
        'glass': lambda: glass(colour),
        'frost': lambda: glass(colour, 0.24),
        'metal': lambda: metal(colour),
        'soap': lambda: uneven(surface(colour, 0.5, Subsurface=0.05, Subsurface_Color=linear(colour)), 14, 0.12),
        'wax': lambda: surface(colour, 0.45, Specular=0.3),
        'kraft': lambda: uneven(surface(colour, 0.8, Specular=0.1), 90, 0.08, 5),
    }
    return makers[kind]()
