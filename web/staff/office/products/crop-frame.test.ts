import { expect, test } from 'vitest';
import { corners, inPixels, movedBy, shaped, sizedBy, whole } from './crop-frame';

const picture = { width: 800, height: 600 };

test('a frame stays within the picture wherever it is moved to', () => {
  const frame = { x: 100, y: 100, width: 400, height: 300 };
  expect(movedBy(frame, picture, 50, -20)).toEqual({ ...frame, x: 150, y: 80 });
  expect(movedBy(frame, picture, 9999, 9999)).toEqual({ ...frame, x: 400, y: 300 });
  expect(movedBy(frame, picture, -9999, -9999)).toEqual({ ...frame, x: 0, y: 0 });
});

test('a corner moves, and the opposite one stays', () => {
  const frame = { x: 100, y: 100, width: 400, height: 300 };
  expect(sizedBy(frame, picture, 'se', [20, 10])).toEqual({ x: 100, y: 100, width: 420, height: 310 });
  expect(sizedBy(frame, picture, 'nw', [20, 10])).toEqual({ x: 120, y: 110, width: 380, height: 290 });
  expect(sizedBy(frame, picture, 'ne', [20, 10])).toEqual({ x: 100, y: 110, width: 420, height: 290 });
  expect(sizedBy(frame, picture, 'sw', [20, 10])).toEqual({ x: 120, y: 100, width: 380, height: 310 });
});

test('a frame never leaves the picture, never vanishes and keeps its shape', () => {
  for (const shape of [undefined, 1, 4 / 5, 16 / 9]) {
    const begun = shape ? shaped(whole(picture), picture, shape) : whole(picture);
    for (const corner of corners) {
      for (const by of [-5000, -300, -1, 1, 300, 5000]) {
        for (const to of [-5000, -40, 40, 5000]) {
          const f = sizedBy(
            sizedBy(begun, picture, corner, [by, to], shape),
            picture,
            corner,
            [to, by],
            shape,
          );
          expect(f.x).toBeGreaterThan(-0.001);
          expect(f.y).toBeGreaterThan(-0.001);
          expect(f.x + f.width).toBeLessThan(800.001);
          expect(f.y + f.height).toBeLessThan(600.001);
          expect(Math.min(f.width / 800, f.height / 600)).toBeGreaterThan(0.0999);
          if (shape) expect(f.width / f.height).toBeCloseTo(shape);
        }
      }
    }
  }
});

test('a shape is as large as the picture allows, around the middle of what was chosen', () => {
  expect(shaped({ x: 700, y: 0, width: 100, height: 600 }, picture, 1)).toEqual({
    x: 200,
    y: 0,
    width: 600,
    height: 600,
  });
});

test('in whole pixels a frame stays within the picture, and a square stays a square', () => {
  expect(inPixels({ x: 0.6, y: 0.4, width: 799.4, height: 599.6 })).toEqual({
    x: 0,
    y: 0,
    width: 799,
    height: 600,
  });
  const square = inPixels({ x: 12.7, y: 100.2, width: 487.6, height: 487.6 });
  expect(square.width).toBe(square.height);
});
