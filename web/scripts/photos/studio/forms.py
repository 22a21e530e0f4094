"""Shapes that bodies and props are made of. Lengths are decimetres, more or less; z is up, -y is towards the camera."""
import math

import bmesh
import bpy


def add(name, mesh, material):
    thing = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(thing)
    thing.data.materials.append(material)
    return thing


def smooth(mesh, degrees=38):
    """Shades a mesh smoothly except over edges sharper than degrees."""
    for face in mesh.polygons:
        face.use_smooth = True
    mesh.use_auto_smooth = True
    mesh.auto_smooth_angle = math.radians(degrees)


def grid(name, rows, columns, point, material, closed=False):
    """A surface through point(row, column), each from 0 to 1, with UV (column, row); closed joins the last column to
    the first."""
    vertices = [point(r / rows, c / columns) for r in range(rows + 1) for c in range(columns + (not closed))]
    width = columns + (not closed)
    faces = [
        (r * width + c, r * width + (c + 1) % width, (r + 1) * width + (c + 1) % width, (r + 1) * width + c)
        for r in range(rows) for c in range(columns)
    ]
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(vertices, [], faces)
    layer = mesh.uv_layers.new()
    for face in mesh.polygons:
        for loop in face.loop_indices:
            row, column = divmod(mesh.loops[loop].vertex_index, width)
            layer.data[loop].uv = (column / columns, row / rows)
    smooth(mesh)
    return add(name, mesh, material)


def arc(x, z, radius, start, end, steps=10):
    """Points of a circle's arc in degrees: 0 points outwards, 90 up."""
    angles = [math.radians(start + (end - start) * i / steps) for i in range(steps + 1)]
    return [(x + radius * math.cos(a), z + radius * math.sin(a)) for a in angles]


def lathe(name, profile, material, segments=112):
    """The body that a profile of (radius, z) gives when turned around the axis."""
    vertices, faces, count = [], [], len(profile)
    for i in range(segments):
        a = 2 * math.pi * i / segments
        vertices += [(r * math.cos(a), r * math.sin(a), z) for r, z in profile]
        j = (i + 1) % segments
        faces += [(i * count + k, j * count + k, j * count + k + 1, i * count + k + 1) for k in range(count - 1)]
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(vertices, [], faces)
    cleaned = bmesh.new()
    cleaned.from_mesh(mesh)
    bmesh.ops.remove_doubles(cleaned, verts=cleaned.verts, dist=1e-5)
    bmesh.ops.recalc_face_normals(cleaned, faces=cleaned.faces)
    cleaned.to_mesh(mesh)
    cleaned.free()
    smooth(mesh)
    return add(name, mesh, material)


def drum(radius, bottom, top, below=0.02, above=0.02):
    """The profile of a closed cylinder whose edges are rounded by below and above."""
    return ([(0, bottom)] + arc(radius - below, bottom + below, below, -90, 0)
            + arc(radius - above, top - above, above, 0, 90) + [(0, top)])


def slab(name, width, depth, height, material, bevel=0.03, segments=6):
    """A box with rounded edges, standing on z = 0."""
    bpy.ops.mesh.primitive_cube_add(size=1, location=(0, 0, height / 2))
    thing = bpy.context.object
    thing.name = name
    thing.scale = (width, depth, height)
    bpy.ops.object.transform_apply(location=True, scale=True)
    rounding = thing.modifiers.new('rounding', 'BEVEL')
    rounding.width, rounding.segments = bevel, segments
    thing.data.materials.append(material)
    smooth(thing.data, 40)
    return thing


def wrap(radius, label, material):
    """A label around a cylinder, its middle towards the camera."""
    half = math.radians(label['degrees'] / 2)
    def point(row, column):
        a = -math.pi / 2 - half + 2 * half * column
        z = label['from'] + (label['to'] - label['from']) * row
        return ((radius + 0.004) * math.cos(a), (radius + 0.004) * math.sin(a), z)
    return grid('label', 2, 64, point, material)


def panel(width, height, y, z, material):
    """A flat label in front of the body, its lower edge at z."""
    return grid('label', 1, 1, lambda row, column: ((column - 0.5) * width, y, z + row * height), material)


def disc(radius, z, material):
    """A round label lying at height z."""
    def point(row, column):
        a = 2 * math.pi * column
        return (radius * row * math.cos(a), radius * row * math.sin(a), z)
    thing = grid('disc', 1, 64, point, material)
    layer = thing.data.uv_layers.active
    for face in thing.data.polygons:
        for loop in face.loop_indices:
            x, y, _ = thing.data.vertices[thing.data.loops[loop].vertex_index].co
            layer.data[loop].uv = (0.5 + x / radius / 2, 0.5 + y / radius / 2)
    return thing


def ball(radius, place, material, squash=(1, 1, 1)):
    bpy.ops.mesh.primitive_uv_sphere_add(radius=radius, segments=40, ring_count=20, location=place)
    thing = bpy.context.object
    thing.scale = squash
    bpy.ops.object.shade_smooth()
    thing.data.materials.append(material)
    return thing


def rod(start, end, radius, material):
    """A straight stick between two points."""
    from mathutils import Vector
    along = Vector(end) - Vector(start)
    thing = lathe('rod', drum(radius, 0, along.length, radius / 2, radius / 2), material, 20)
    thing.location = start
    thing.rotation_euler = along.to_track_quat('Z', 'Y').to_euler()
    return thing
