/** A size in pixels of the picture. */
export type Size = { width: number; height: number };
/** What stays of a picture, in its pixels. */
export type Frame = Size & { x: number; y: number };
export const corners = ['nw', 'ne', 'sw', 'se'] as const;
export type Corner = (typeof corners)[number];

/** A frame keeps at least such a part of each side. */
const least = 0.1;

const clamp = (value: number, from: number, to: number) => Math.min(Math.max(value, from), to);

/** All of a picture. */
export const whole = ({ width, height }: Size): Frame => ({ x: 0, y: 0, width, height });

/** The largest frame of a shape (width by height) around the middle of another. */
export function shaped(frame: Frame, picture: Size, shape: number): Frame {
  const width = Math.min(picture.width, picture.height * shape);
  const height = width / shape;
  return {
    x: clamp(frame.x + (frame.width - width) / 2, 0, picture.width - width),
    y: clamp(frame.y + (frame.height - height) / 2, 0, picture.height - height),
    width,
    height,
  };
}

/** The frame elsewhere, within the picture. */
export const movedBy = (frame: Frame, picture: Size, dx: number, dy: number): Frame => ({
  ...frame,
  x: clamp(frame.x + dx, 0, picture.width - frame.width),
  y: clamp(frame.y + dy, 0, picture.height - frame.height),
});

/** The frame with a corner elsewhere; the opposite one stays, and so does the shape where there is one. */
export function sizedBy(
  frame: Frame,
  picture: Size,
  corner: Corner,
  [dx, dy]: [number, number],
  shape?: number,
): Frame {
  const [west, north] = [corner.endsWith('w'), corner.startsWith('n')];
  const [right, bottom] = [frame.x + frame.width, frame.y + frame.height];
  const most = {
    width: west ? right : picture.width - frame.x,
    height: north ? bottom : picture.height - frame.y,
  };
  const wished = { width: frame.width + (west ? -dx : dx), height: frame.height + (north ? -dy : dy) };
  let width = clamp(wished.width, picture.width * least, most.width);
  let height = clamp(wished.height, picture.height * least, most.height);
  if (shape) {
    // The way that goes further decides.
    const byHeight = Math.abs(dy) * shape > Math.abs(dx);
    const smallest = Math.max(picture.width * least, picture.height * least * shape);
    width = clamp(
      byHeight ? wished.height * shape : wished.width,
      smallest,
      Math.min(most.width, most.height * shape),
    );
    height = width / shape;
  }
  return { x: west ? right - width : frame.x, y: north ? bottom - height : frame.y, width, height };
}

/** The frame in whole pixels: rounding down where it begins keeps its end within the picture, and a square a square. */
export const inPixels = ({ x, y, width, height }: Frame): Frame => ({
  x: Math.floor(x),
  y: Math.floor(y),
  width: Math.round(width),
  height: Math.round(height),
});
