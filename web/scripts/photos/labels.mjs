// Draws what is printed on a package: one page in Chromium for each label.
import { readFileSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { sizes } from './plan.mjs';

const font = (file) =>
  `url(data:font/woff2;base64,${readFileSync(new URL(`../../kit/design/fonts/${file}.woff2`, import.meta.url), 'base64')})`;
const fonts = `
  @font-face{font-family:Forum;src:${font('forum-ru-kz')}}
  @font-face{font-family:Onest;font-weight:400 700;src:${font('onest-cyr')};unicode-range:U+400-45F,U+2116}
  @font-face{font-family:Onest;font-weight:400 700;src:${font('onest-latin')};unicode-range:U+0-2FF,U+2000-2115}`;

/** Pixels to a unit of the studio. */
const scale = 620;

/** Emblems in a box of 60, drawn with one pen. */
const emblems = JSON.parse(readFileSync(new URL('emblems.json', import.meta.url), 'utf8'));

const emblem = (name, size) =>
  `<svg viewBox="0 0 60 60" width="${size}" height="${size}" fill="none" stroke="currentColor" stroke-width="1.7" stroke-linecap="round" stroke-linejoin="round"><path d="${emblems[name]}"/></svg>`;

/** The size of a label in pixels. */
function extent(body) {
  const { radius, label } = sizes[body];
  const width = label.width ?? (radius * label.degrees * Math.PI) / 180;
  return [Math.round(width * scale), Math.round((label.height ?? label.to - label.from) * scale)];
}

/** The brand's name as the brand writes it. */
function wordmark({ maker, face }, room) {
  const styles = {
    serif: `font:400 ${Math.min(room * 0.2, (room * 1.15) / maker.length ** 0.8)}px Forum;letter-spacing:.01em`,
    wide: `font:600 ${Math.min(room * 0.125, (room * 1.05) / maker.length)}px Onest;letter-spacing:.14em;text-transform:uppercase;margin-right:-.14em`,
    bold: `font:700 ${Math.min(room * 0.19, (room * 1.2) / maker.length)}px Onest;letter-spacing:-.05em`,
  };
  return `<div style="${styles[face]};line-height:1.05">${maker.replace('&', '&amp;')}</div>`;
}

const volume = ({ size }, px) => `<div style="font:500 ${px}px Onest;letter-spacing:.06em">${size}</div>`;

/** The first lines of the composition, as small as they are in life. */
function inci({ composition }, px) {
  const list = composition.split(', ').slice(0, 11).join(', ').replaceAll('*', '');
  return `<div style="font:400 ${px}px/1.4 Onest;opacity:.72;max-width:78%">INCI: ${list}</div>`;
}

const words = ({ words: [what, which] }, px, weight = 500) =>
  `<div style="font:${weight} ${px}px/1.25 Onest">${what}<br><span style="font-weight:400;opacity:.9">${which}</span></div>`;

/** Label designs: each fills a box of w × h; u is the measure of what is printed in it. */
const layouts = {
  classic: (p, { w, h, u }) =>
    `<div style="justify-content:space-between;padding:${h * 0.08}px ${w * 0.08}px">${emblem(p.emblem, u * 0.15)}${wordmark(p, u)}${words(p, u * 0.062)}${inci(p, u * 0.021)}<div style="border-top:2px solid;padding:${u * 0.02}px ${u * 0.06}px 0">${volume(p, u * 0.045)}</div></div>`,
  column: (p, { w, h, u }) =>
    `<div style="align-items:flex-start;text-align:left;justify-content:space-between;padding:${h * 0.1}px ${w / 2 - u * 0.36}px">${wordmark(p, u * 0.86)}${emblem(p.emblem, u * 0.15)}<i style="width:${u * 0.12}px;height:${u * 0.016}px;background:${p.accent}"></i>${words(p, u * 0.062)}${inci(p, u * 0.021)}${volume(p, u * 0.045)}</div>`,
  band: (p, { h, u }) =>
    `<div style="justify-content:space-between;padding:0 0 ${h * 0.08}px"><div style="width:100%;padding:${h * 0.07}px 0 ${h * 0.06}px;background:${p.accent};color:${p.onAccent}">${wordmark(p, u)}</div>${emblem(p.emblem, u * 0.16)}${words(p, u * 0.066, 600)}${inci(p, u * 0.021)}${volume(p, u * 0.05)}</div>`,
  frame: (p, { w, h, u }) =>
    `<div style="justify-content:space-between;padding:${h * 0.12}px ${w * 0.1}px"><i style="position:absolute;inset:${u * 0.05}px;border:2px solid;opacity:.55"></i>${wordmark(p, u * 0.9)}${emblem(p.emblem, u * 0.14)}${words(p, u * 0.058)}${inci(p, u * 0.02)}${volume(p, u * 0.043)}</div>`,
  steppe: (p, { w, h, u }) =>
    `<div style="justify-content:space-between;padding:${h * 0.05}px 0">${ornament(w, p.accent)}${emblem(p.emblem, u * 0.15)}${wordmark(p, u)}${words(p, u * 0.06)}${inci(p, u * 0.02)}${volume(p, u * 0.045)}${ornament(w, p.accent)}</div>`,
  sun: (p, { w, h, u }) =>
    `<div style="justify-content:flex-end;gap:${h * 0.045}px;padding:${h * 0.08}px ${w * 0.08}px;overflow:hidden"><i style="position:absolute;left:50%;top:0;translate:-50% -45%;width:${u * 0.86}px;height:${u * 0.86}px;border-radius:50%;background:${p.accent}"></i>${wordmark(p, u)}${words(p, u * 0.06)}${inci(p, u * 0.021)}${volume(p, u * 0.045)}</div>`,
};

/** A strip of the pattern that runs along Kazakh felt carpets. */
function ornament(w, colour) {
  const step = w / 9;
  const horn = `<path d="M0 ${step * 0.62}C${step * 0.1} ${step * 0.1} ${step * 0.46} ${step * 0.1} ${step * 0.42} ${step * 0.36}M${step} ${step * 0.62}C${step * 0.9} ${step * 0.1} ${step * 0.54} ${step * 0.1} ${step * 0.58} ${step * 0.36}"/>`;
  return `<svg width="${w}" height="${step * 0.7}" fill="none" stroke="${colour}" stroke-width="${step * 0.07}">${Array.from({ length: 9 }, (_, i) => `<g transform="translate(${i * step} 0)">${horn}</g>`).join('')}<path d="M0 ${step * 0.64}H${w}"/></svg>`;
}

/** Wide labels lie: emblem and name on the left, words on the right. */
const lying = (p, w, h) =>
  `<div style="flex-direction:row;justify-content:center;gap:${w * 0.035}px;padding:0 ${w * 0.03}px;text-align:left;white-space:nowrap">${emblem(p.emblem, h * 0.3)}<div style="flex:none">${wordmark(p, Math.min(w * 0.5, h * 1.35))}</div>${words(p, Math.min(h * 0.115, w * 0.04))}${volume(p, h * 0.09)}</div>`;

/** Round labels of tins and bars. */
const round = (p, w) =>
  `<div style="justify-content:center;gap:${w * 0.05}px;padding:${w * 0.1}px;border-radius:50%"><i style="position:absolute;inset:${w * 0.035}px;border:3px solid;border-radius:50%;opacity:.5"></i>${emblem(p.emblem, w * 0.14)}${wordmark(p, w * 0.8)}${words(p, w * 0.055)}${volume(p, w * 0.045)}</div>`;

/** Bags and boxes have a picture field of the accent's colour. */
const pictured = (p, w, h) =>
  `<div style="justify-content:space-between;padding:${h * 0.13}px ${w * 0.1}px ${h * 0.1}px"><i style="position:absolute;inset:${h * 0.44}px 0 0;background:${p.accent};opacity:.28;border-radius:${w}px ${w}px 0 0"></i>${wordmark(p, w)}${words(p, w * 0.062, 600)}${emblem(p.emblem, w * 0.3)}${inci(p, w * 0.019)}${volume(p, w * 0.055)}</div>`;

function design(p, [w, h]) {
  if (p.body === 'tin' || p.body === 'puck') return round(p, w);
  if (p.body === 'pouch' || p.body === 'carton') return pictured(p, w, h);
  if (w > h * 2.3) return lying(p, w, h);
  return layouts[p.layout](p, { w, h, u: Math.min(w * 0.92, h * 0.86) });
}

const page = (p, [w, h]) => `<style>${fonts}
  *{box-sizing:border-box;margin:0}
  body{width:${w}px;height:${h}px;background:${p.paper};color:${p.ink}}
  body>div{position:relative;width:100%;height:100%;display:flex;flex-direction:column;align-items:center;text-align:center}
  svg{flex:none}
</style>${design(p, [w, h])}`;

/** A fruit cut in half, seen from above. */
function fruit() {
  const parts = Array.from({ length: 10 }, (_, i) => {
    const a = (i * 36 * Math.PI) / 180;
    const b = ((i + 1) * 36 * Math.PI) / 180;
    const at = (r, angle) => `${300 + r * Math.cos(angle)} ${300 + r * Math.sin(angle)}`;
    return `<path d="M${at(34, (a + b) / 2)}L${at(232, a + 0.06)}Q${at(268, (a + b) / 2)} ${at(232, b - 0.06)}Z"/>`;
  });
  return `<style>*{margin:0}</style><svg width="600" height="600"><rect width="600" height="600" fill="#f6e3b0"/><g fill="#f0a63a" stroke="#f7cf80" stroke-width="7" stroke-linejoin="round">${parts.join('')}</g></svg>`;
}

/** Draws the labels of packages, each into the file it names. */
export async function drawLabels(packages, citrus) {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
  });
  const tab = await browser.newPage();
  const draw = async (html, [width, height], file) => {
    await tab.setViewportSize({ width, height });
    await tab.setContent(html);
    await tab.evaluate(() => document.fonts.ready);
    await tab.screenshot({ path: file });
  };
  await draw(fruit(), [600, 600], citrus);
  for (const p of packages) {
    const size = extent(p.body);
    await draw(page(p, size), size, p.label);
  }
  await browser.close();
}
