"""Draws the logos of the demo's brands:

    python3 scripts/photos/logos.py

Each brand's name is set as on its labels (brands.json), its letters turned into outlines, since a picture in a page has
no fonts but its own, and joined to its emblem in a box of 320 × 128."""
import json
import math
import pathlib

from fontTools.misc.transform import Transform
from fontTools.pens.boundsPen import BoundsPen
from fontTools.pens.svgPathPen import SVGPathPen
from fontTools.pens.transformPen import TransformPen
from fontTools.ttLib import TTFont
from fontTools.varLib.instancer import instantiateVariableFont

HERE = pathlib.Path(__file__).parent
FONTS = HERE / '../../kit/design/fonts'
OUT = HERE / '../../public/img/logos'
WIDTH, HEIGHT = 320, 128
INK, PAPER = '#17231c', '#fbfaf5'
EMBLEMS = json.loads((HERE / 'emblems.json').read_text())


def font(file, weight=None):
    loaded = TTFont(FONTS / f'{file}.woff2')
    return instantiateVariableFont(loaded, {'wght': weight}) if weight else loaded


FACES = {'serif': font('forum-ru-kz'), 'wide': font('onest-latin', 600), 'bold': font('onest-latin', 700)}
# In fractions of the size of the letters.
TRACKING = {'serif': 0.01, 'wide': 0.14, 'bold': -0.045}


def number(value):
    return f'{value:.1f}'.rstrip('0').rstrip('.')


def pen(lines, x, y, size, weight=1.7):
    """Lines drawn in a box of 60, with the middle of the box at x, y."""
    scale = size / 60
    at = f'translate({number(x - size / 2)} {number(y - size / 2)}) scale({scale:.3f})'
    return (f'<path transform="{at}" d="{lines}" fill="none" stroke="{INK}" stroke-width="{weight / scale:.2f}" '
            'stroke-linecap="round" stroke-linejoin="round"/>')


def emblem(name, x, y, size, weight=1.7):
    return pen(EMBLEMS[name], x, y, size, weight)


def rule(x, y, width, weight=1.5):
    return f'<rect x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{weight}"/>'


def letters(text, face, size, x, y, tracking=None, slant=0, colour=INK):
    """A line of text with its middle at x and its baseline at y, and its width."""
    loaded = FACES[face]
    glyphs, names = loaded.getGlyphSet(), loaded.getBestCmap()
    scale = size / loaded['head'].unitsPerEm
    space = (TRACKING[face] if tracking is None else tracking) * size / scale
    # Forum has no è: its grave is drawn over an e.
    plain = text.replace('è', 'e')
    advance = sum(glyphs[names[ord(c)]].width + space for c in plain) - space
    outline = SVGPathPen(glyphs, ntos=number)
    left = 0
    extra = ''
    for letter, drawn in zip(text, plain):
        glyph = glyphs[names[ord(drawn)]]
        at = Transform(scale, 0, slant * scale, -scale, x + (left - advance / 2) * scale, y)
        glyph.draw(TransformPen(outline, at))
        if letter == 'è':
            bounds = BoundsPen(glyphs)
            glyph.draw(bounds)
            middle, top = at.transformPoint(((bounds.bounds[0] + bounds.bounds[2]) / 2, bounds.bounds[3]))
            extra += f'M{number(middle - 0.19 * size)} {number(top - 0.2 * size)}l{number(0.1 * size)} {number(-0.015 * size)} {number(0.13 * size)} {number(0.15 * size)}h{number(-0.035 * size)}z'
        left += glyph.width + space
    return f'<path fill="{colour}" d="{outline.getCommands()}{extra}"/>', advance * scale


def felt(y, width, step):
    """A strip of the pattern that runs along Kazakh felt carpets, with its middle in the middle of the box."""
    left = (WIDTH - width) / 2
    horns = ''.join(
        f'M{number(left + i * step)} {number(y)}c{number(step * 0.1)} {number(-step * 0.55)} {number(step * 0.46)} {number(-step * 0.55)} {number(step * 0.42)} {number(-step * 0.27)}'
        f'M{number(left + (i + 1) * step)} {number(y)}c{number(-step * 0.1)} {number(-step * 0.55)} {number(-step * 0.46)} {number(-step * 0.55)} {number(-step * 0.42)} {number(-step * 0.27)}'
        for i in range(round(width / step)))
    return f'<path d="{horns}" fill="none" stroke="{INK}" stroke-width="1.6" stroke-linecap="round"/>'


def text(*given, **also):
    return letters(*given, **also)[0]


def beside(sign, size, word, gap):
    """An emblem and a word in one line, together in the middle."""
    drawn, face, height, baseline = word
    width = letters(drawn, face, height, 0, 0)[1]
    left = (WIDTH - size - gap - width) / 2
    return emblem(sign, left + size / 2, 64, size, 2) + text(drawn, face, height, left + size + gap + width / 2, baseline)


def moss():
    """The full stop is a drop."""
    word, width = letters('moss', 'bold', 82, 148, 84)
    x = 148 + width / 2 + 12
    return word + f'<path d="M{number(x)} 58c5 8 9 13 9 18a9 9 0 0 1-18 0c0-5 4-10 9-18z"/>'


def waves(y):
    lines = ''.join(f'M{92 + i * 34} {y}c6-7 11-7 17 0s11 7 17 0' for i in range(4))
    return f'<path d="{lines}" fill="none" stroke="{INK}" stroke-width="2" stroke-linecap="round"/>'


def owen():
    """Crossed razors stand for the 'and'."""
    words = [('OWEN', 'wide', 32), ('ASH', 'wide', 32)]
    owen, ash = (letters(*word, 0, 0)[1] for word in words)
    sign, gap = 30, 10
    left = (WIDTH - owen - ash - sign - 2 * gap) / 2
    middle = left + owen + gap + sign / 2
    return (rule(left, 32, WIDTH - 2 * left) + text(*words[0], left + owen / 2, 75.5) + emblem('ash', middle, 64, sign, 1.8)
            + text(*words[1], WIDTH - left - ash / 2, 75.5) + rule(left, 94.5, WIDTH - 2 * left))


def helia():
    rays = ''.join(
        f'M{number(160 + 45 * math.cos(a))} {number(66 - 45 * math.sin(a))}L{number(160 + 54 * math.cos(a))} {number(66 - 54 * math.sin(a))}'
        for a in (math.radians(d) for d in range(0, 181, 20)))
    return (f'<path d="M124 66a36 36 0 0 1 72 0z"/><path d="{rays}" fill="none" stroke="{INK}" stroke-width="2.4" stroke-linecap="round"/>'
            + text('HELIA', 'wide', 34, 160, 110, tracking=0.2))


def logos():
    return {
        'ostara': emblem('leaf', 160, 32, 42) + text('Ostara', 'serif', 66, 160, 104),
        'tilia': beside('linden', 62, ('Tilia', 'serif', 78, 86), 14),
        'norden': emblem('peak', 160, 34, 62, 2.2) + text('NORDEN', 'wide', 38, 160, 98),
        'seve': text('Sève', 'serif', 92, 136, 94) + emblem('sprig', 262, 62, 70, 1.9),
        'verbana': f'<rect x="35" y="25" width="250" height="78" rx="39" fill="none" stroke="{INK}" stroke-width="1.6"/>'
                   + text('verbana', 'serif', 58, 160, 80),
        'moss': moss(),
        'kalm': rule(38, 63.5, 34) + rule(248, 63.5, 34) + text('Kalm', 'serif', 74, 160, 88),
        'zhusan': felt(34, 216, 24) + text('Жусан', 'serif', 62, 160, 86) + felt(114, 216, 24),
        'hvile': text('HVILE', 'wide', 44, 160, 72, tracking=0.22) + waves(98),
        'mirta': f'<ellipse cx="160" cy="64" rx="130" ry="56" fill="none" stroke="{INK}" stroke-width="1.5"/>'
                 + emblem('olive', 160, 36, 36) + text('Mirta', 'serif', 54, 160, 94),
        'roua': beside('drop', 66, ('Roua', 'serif', 84, 89), 8),
        'owen-ash': owen(),
        'mentis': f'<rect x="36" y="28" width="248" height="72" rx="14" fill="{INK}"/>'
                  + text('Mentis', 'bold', 56, 160, 83, colour=PAPER),
        'botam': beside('sun', 64, ('Botam', 'bold', 60, 84), 12),
        'helia': helia(),
    }


OUT.mkdir(parents=True, exist_ok=True)
for link, drawn in logos().items():
    (OUT / f'{link}.svg').write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" fill="{INK}">{drawn}</svg>\n')
