import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react';
import { Dialog } from '../../../kit/design/dialog';
import { words } from '../../api/client';
import f from '../../parts/field.module.css';
import { Action } from '../../parts/parts';
import d from '../desk/desk.module.css';
import s from './crop.module.css';
import {
  type Corner,
  corners,
  type Frame,
  inPixels,
  movedBy,
  type Size,
  shaped,
  sizedBy,
  whole,
} from './crop-frame';
import type { Picture } from './sheet';
import { editorTexts as w } from './texts/ru';

/** Width by height; '' is any. */
const shapes = ['', '1/1', '4/5', '3/4', '4/3', '16/9'];
const shapeOf = (text: string) => {
  const [width, height] = text.split('/').map(Number);
  return width && height ? width / height : undefined;
};

const arrows: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** What is in a frame of a picture, as a file to be sent; undefined when the browser cannot make one. */
async function cut(image: HTMLImageElement, frame: Frame): Promise<File | undefined> {
  const { x, y, width, height } = inPixels(frame);
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  canvas.getContext('2d')?.drawImage(image, x, y, width, height, 0, 0, width, height);
  const drawn = new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/jpeg', 0.95));
  // A browser gives away nothing of a picture that another site keeps.
  const blob = await drawn.catch(() => null);
  return blob ? new File([blob], 'crop.jpg', { type: 'image/jpeg' }) : undefined;
}

/** Crops a picture: what is in the frame becomes a picture of its own, and the one before stays in the shop. */
export default function Crop({
  picture,
  upload,
  done,
  close,
}: {
  picture: Picture;
  upload: (file: File) => Promise<Picture>;
  done: (cropped: Picture) => void;
  close: () => void;
}) {
  const image = useRef<HTMLImageElement>(null);
  const [open, setOpen] = useState(true);
  const [size, setSize] = useState<Size>();
  const [frame, setFrame] = useState<Frame>();
  const [shape, setShape] = useState('');
  const [busy, setBusy] = useState(false);
  const [failed, setFailed] = useState('');

  const kept = frame && inPixels(frame);
  const smaller = kept && size && (kept.width < size.width || kept.height < size.height);

  const save = async () => {
    if (!image.current || !frame) return;
    setBusy(true);
    setFailed('');
    try {
      const file = await cut(image.current, frame);
      if (file) {
        done({ ...(await upload(file)), alt: picture.alt, alt_kk: picture.alt_kk });
        setOpen(false);
      } else setFailed(w.notCropped);
    } catch (error) {
      setFailed(words(error));
    }
    setBusy(false);
  };
  return (
    <Dialog open={open} onClose={close} label={w.crop} place="wide">
      <div className={d.form}>
        <h2>{w.crop}</h2>
        <p className={d.quiet}>{w.cropKeys}</p>
        <label className={f.field}>
          {w.shape}
          <select
            value={shape}
            onChange={({ target }) => {
              setShape(target.value);
              const chosen = shapeOf(target.value);
              if (size && frame && chosen) setFrame(shaped(frame, size, chosen));
            }}
          >
            {shapes.map((one) => (
              <option key={one} value={one}>
                {one === '' ? w.anyShape : one.replace('/', ' : ')}
              </option>
            ))}
          </select>
        </label>
        <div className={s.stage}>
          <img
            ref={image}
            src={picture.src}
            alt={picture.alt ?? ''}
            draggable={false}
            onError={() => setFailed(w.notCropped)}
            onLoad={({ currentTarget: { naturalWidth: width, naturalHeight: height } }) => {
              setSize({ width, height });
              setFrame(whole({ width, height }));
            }}
          />
          {size && frame ? (
            <Handles
              size={size}
              frame={frame}
              shape={shapeOf(shape)}
              change={setFrame}
              image={image.current}
            />
          ) : null}
        </div>
        <p className={d.quiet} aria-live="polite">
          {kept ? w.frameSize(kept.width, kept.height) : ''}
        </p>
        <p role="alert" className={d.failed}>
          {failed}
        </p>
        <div className={d.actions}>
          <Action kind="strong" disabled={busy || !smaller} onClick={save}>
            {w.crop}
          </Action>
          <Action disabled={!size} onClick={() => size && setFrame(whole(size))}>
            {w.wholePicture}
          </Action>
        </div>
      </div>
    </Dialog>
  );
}

/** The frame on the picture: it moves as a whole and by each corner, with a pointer or the arrow keys. */
function Handles({
  size,
  frame,
  shape,
  change,
  image,
}: {
  size: Size;
  frame: Frame;
  shape: number | undefined;
  change: (frame: Frame) => void;
  image: HTMLImageElement | null;
}) {
  const begun = useRef<{ x: number; y: number; frame: Frame }>(undefined);
  const by = (from: Frame, corner: Corner | undefined, way: [number, number]) =>
    change(corner ? sizedBy(from, size, corner, way, shape) : movedBy(from, size, ...way));
  const hold = (corner?: Corner) => ({
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      event.currentTarget.setPointerCapture(event.pointerId);
      begun.current = { x: event.clientX, y: event.clientY, frame };
    },
    onPointerMove: (event: PointerEvent) => {
      if (!begun.current) return;
      const { x, y, frame: from } = begun.current;
      const scale = size.width / (image?.clientWidth || size.width);
      by(from, corner, [(event.clientX - x) * scale, (event.clientY - y) * scale]);
    },
    onPointerUp: () => {
      begun.current = undefined;
    },
    onPointerCancel: () => {
      begun.current = undefined;
    },
    onKeyDown: (event: KeyboardEvent) => {
      const arrow = arrows[event.key];
      if (!arrow) return;
      event.preventDefault();
      const step = event.shiftKey ? 0.1 : 0.01;
      by(frame, corner, [arrow[0] * size.width * step, arrow[1] * size.height * step]);
    },
  });
  const part = (value: number, of: number) => `${(value / of) * 100}%`;
  return (
    <div
      className={s.frame}
      style={{
        insetInlineStart: part(frame.x, size.width),
        insetBlockStart: part(frame.y, size.height),
        inlineSize: part(frame.width, size.width),
        blockSize: part(frame.height, size.height),
      }}
    >
      <button type="button" className={s.inner} aria-label={w.moveFrame} {...hold()} />
      {corners.map((corner) => (
        <button
          key={corner}
          type="button"
          className={s.corner}
          data-corner={corner}
          aria-label={w.corners[corner]}
          {...hold(corner)}
        />
      ))}
    </div>
  );
}
