import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { useLanguage } from '../../language';
import { monthNames, short } from '../../parts/format';
import type { Line } from './lines';

const height = 260;
/** The lines in their order, by colour and by dashes. */
const looks: { colour: string; dash?: number[] }[] = [
  { colour: '--pine' },
  { colour: '--star', dash: [6, 4] },
  { colour: '--sale', dash: [2, 4] },
  { colour: '--ink-muted' },
  { colour: '--pine', dash: [12, 3, 2, 3] },
  { colour: '--error', dash: [8, 3] },
];

/** Draws lines over time on a canvas as wide as its place. hover hears which x is under the pointer. */
export function Plot({
  x,
  lines,
  steps,
  hover,
}: {
  x: number[];
  lines: Line[];
  steps: boolean;
  hover: (at: number | null) => void;
}) {
  const place = useRef<HTMLDivElement>(null);
  // Drawn anew only for other numbers: a page that is rendered again has new arrays of the same ones.
  const drawn = JSON.stringify([x, lines.map(({ values, apart }) => [values, apart])]);
  const language = useLanguage();
  // biome-ignore lint/correctness/useExhaustiveDependencies: drawn holds x and lines; the axes speak the language
  useEffect(() => {
    const at = place.current;
    if (!at) return;
    const token = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    const font = `12px ${token('--sans')}`;
    const axis = (scale: string, side: 1 | 3): uPlot.Axis => ({
      scale,
      side,
      font,
      stroke: token('--ink-muted'),
      size: 52,
      ticks: { show: false },
      grid: side === 3 ? { stroke: token('--line'), width: 1 } : { show: false },
      values: (_, splits) => splits.map((value) => (Number.isInteger(value) ? short(value) : '')),
    });
    const fromZero: uPlot.Scale = {
      range: (_, min, max) => [Math.min(0, min ?? 0), Math.max(1, (max ?? 1) * 1.06)],
    };
    const months = monthNames();
    const stepped = uPlot.paths.stepped?.({ align: 1 });
    const plot = new uPlot(
      {
        width: Math.max(200, at.clientWidth),
        height,
        padding: [10, lines.some(({ apart }) => apart) ? 0 : 12, 0, 0],
        legend: { show: false },
        cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
        fmtDate: (template) =>
          uPlot.fmtDate(template, { MMMM: months.long, MMM: months.short, WWWW: [], WWW: [] }),
        tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
        scales: { x: { time: true }, y: fromZero, apart: fromZero },
        axes: [
          { font, stroke: token('--ink-muted'), grid: { show: false }, ticks: { show: false }, space: 70 },
          axis('y', 3),
          ...(lines.some(({ apart }) => apart) ? [axis('apart', 1)] : []),
        ],
        series: [
          {},
          ...lines.map(({ name, apart }, index): uPlot.Series => {
            const look = looks[index % looks.length] ?? { colour: '--ink' };
            return {
              label: name,
              scale: apart ? 'apart' : 'y',
              stroke: token(look.colour),
              width: 2,
              ...(look.dash ? { dash: look.dash } : {}),
              ...(steps && stepped ? { paths: stepped } : {}),
              ...(index === 0 && !steps && lines.length < 3 ? { fill: `${token('--sage')}55` } : {}),
              points: { show: x.length < 40, size: 5 },
            };
          }),
        ],
        hooks: { setCursor: [({ cursor }) => hover(cursor.idx ?? null)] },
      },
      [x, ...lines.map(({ values }) => values)],
      at,
    );
    const fit = new ResizeObserver(() => plot.setSize({ width: Math.max(200, at.clientWidth), height }));
    fit.observe(at);
    return () => {
      fit.disconnect();
      plot.destroy();
    };
  }, [drawn, steps, hover, language]);
  return <div ref={place} />;
}
