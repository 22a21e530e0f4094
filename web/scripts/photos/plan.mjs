// What is to be photographed: the list in shots.json with all that the demo catalog and the brands' palettes know.
import { readFileSync } from 'node:fs';

const here = (name) => new URL(name, import.meta.url);
const read = (name) => JSON.parse(readFileSync(here(name), 'utf8'));

export const sizes = read('bodies.json');
/** Packages that are rendered blank, for the goods of the shelf. */
export const sets = read('sets.json');
const brands = read('brands.json');
const links = new Map(read('../../../cmd/shop/demo/brands.json').map(({ name, link }) => [name, link]));
const catalog = readFileSync(here('../../../cmd/shop/demo/catalog.xml'), 'utf8');

/** Printed all over: the package has the colour of its label. */
const printed = new Set(['tube', 'pouch', 'carton', 'tub']);
/** Photographers move their lamps; not all pictures of a shop look alike. */
const lights = ['left', 'right', 'left', 'leaves', 'left', 'top', 'right', 'window'];

/** The demo's goods by article. */
const goods = new Map(
  [...catalog.matchAll(/<offer [\s\S]*?<\/offer>/g)].map(([offer]) => {
    const text = (pattern) => offer.match(pattern)?.[1].replaceAll('&amp;', '&').trim();
    const article = text(/<vendorCode>(.*?)</);
    return [
      article,
      {
        link: text(/<url>.*?\/product\/(.*?)\/?</),
        brand: text(/<vendor>(.*?)</),
        size: text(/<param name="(?:Объём|Вес|Масса|Упаковка)">(.*?)</),
        composition: text(/<param name="Состав">(.*?)</),
      },
    ];
  }),
);

/** A package as its brand makes it. */
function pack({ article, ...own }) {
  const product = goods.get(article);
  if (!product) throw new Error(`shots.json: no product ${article}`);
  const brand = brands[product.brand];
  if (!sizes[own.body] && own.body !== 'none') throw new Error(`shots.json: ${article}: no body ${own.body}`);
  const look = { ...brand, accent: brand.ink, onAccent: '#ffffff', ...own };
  if (printed.has(own.body) && !own.shell) look.shell = look.paper;
  const { backdrops, ...rest } = look;
  return {
    ...rest,
    article,
    name: product.link,
    maker: product.brand,
    size: product.size,
    composition: product.composition,
  };
}

const framed = { exposure: -0.08, seed: 1 };

function productShot(own, at) {
  const { backdrops } = brands[goods.get(own.article)?.brand] ?? {};
  return {
    ...framed,
    kind: 'product',
    width: 640,
    height: 800,
    light: lights[at % lights.length],
    backdrop: backdrops?.[at % backdrops.length],
    stand: '',
    props: [],
    side: [0, 0.5, -0.5][at % 3],
    above: [1.15, 0.8, 1.35][at % 3],
    scale: 1,
    seed: at,
    ...pack(own),
  };
}

function groupShot({ items, ...own }) {
  return {
    ...framed,
    kind: 'group',
    light: 'leaves',
    props: [],
    side: 0,
    above: 2.3,
    level: 0.95,
    shown: 2.9,
    accent: '#b08968',
    ...own,
    items: items.map(({ place, scale = 1, turn = 0, ...product }) => ({
      ...pack(product),
      place,
      scale,
      turn,
    })),
  };
}

function textureShot(own, at) {
  return {
    ...framed,
    kind: 'texture',
    width: 640,
    height: 800,
    light: lights[at % 2],
    lens: 78,
    props: [],
    accent: '#b08968',
    ...own,
  };
}

/** Where three packages of a brand stand, and how. */
const row = [
  { place: [0.05, 0.15, 0.3], turn: 3 },
  { place: [1.05, -0.15, 0], turn: -8, scale: 0.92 },
  { place: [-1.0, 0, 0.12], turn: 8, scale: 0.92 },
];

/** A brand's own picture: the first of its goods together. */
function brandShot(brand, at, products) {
  const own = products.filter(({ article, body }) => body !== 'none' && goods.get(article)?.brand === brand);
  return groupShot({
    name: `brand-${links.get(brand)}`,
    width: 960,
    height: 540,
    light: lights[at % lights.length],
    backdrop: brands[brand].backdrops[0],
    shown: 2.7,
    level: 0.98,
    seed: at,
    items: own.slice(0, row.length).map((product, place) => ({ ...product, ...row[place] })),
  });
}

/** Every picture, each by its name, with its packages' labels still to be drawn. */
export function plan() {
  const { products, groups, textures } = read('shots.json');
  const shots = [
    ...products.map(productShot),
    ...groups.map(groupShot),
    ...textures.map(textureShot),
    ...Object.keys(brands).map((brand, at) => brandShot(brand, at, products)),
  ];
  const twice = shots.find((shot, at) => shots.findIndex(({ name }) => name === shot.name) !== at);
  if (twice) throw new Error(`shots.json: ${twice.name} stands there twice`);
  return shots;
}

/** The packages of a shot. */
export function packages(shot) {
  return shot.kind === 'group' ? shot.items : shot.kind === 'product' && shot.body !== 'none' ? [shot] : [];
}

/** The goods that are printed on a set: every second one as in a mirror, every third also from nearby. */
export function shelf() {
  const seen = new Map();
  return read('shelf.json').map((own, at) => {
    const set = sets.find(({ name }) => name === own.set);
    if (!set) throw new Error(`shelf.json: ${own.article}: no set ${own.set}`);
    const before = seen.get(own.set) ?? 0;
    seen.set(own.set, before + 1);
    const { backdrops } = brands[goods.get(own.article)?.brand] ?? {};
    return {
      backdrop: backdrops?.[at % backdrops.length],
      ...pack({ ...own, body: set.body }),
      mirrored: before % 2 === 1,
      twice: at % 5 < 2,
    };
  });
}
