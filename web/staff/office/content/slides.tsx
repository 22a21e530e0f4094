import { useState } from 'react';
import { words } from '../../api/client';
import f from '../../parts/field.module.css';
import { Action } from '../../parts/parts';
import d from '../desk/desk.module.css';
import p from '../products/products.module.css';
import s from './content.module.css';
import { addPicture, type Slide } from './queries';
import { slideTexts as w } from './texts/ru';

/** Slides in their order: by drag, and by the arrows of each. */
export function Slides({ slides, change }: { slides: Slide[]; change: (next: Slide[]) => void }) {
  const [failed, setFailed] = useState('');
  const [busy, setBusy] = useState(false);
  const [dragged, setDragged] = useState<number>();
  const move = (from: number, to: number) => {
    const next = [...slides];
    const [one] = next.splice(from, 1);
    if (one) next.splice(to, 0, one);
    change(next);
  };
  const put = (at: number, part: Partial<Slide>) =>
    change(slides.map((one, n) => (n === at ? { ...one, ...part } : one)));
  const take = async (files: File[]) => {
    setBusy(true);
    setFailed('');
    const added: Slide[] = [];
    for (const file of files) {
      try {
        const { src } = await addPicture(file);
        added.push({ url: '', file: src, alt: '' });
      } catch (error) {
        setFailed(`${file.name}: ${words(error)}`);
      }
    }
    if (added.length > 0) change([...slides, ...added]);
    setBusy(false);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a place to drop files, beside the field that takes them by keyboard
    <div
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        if (event.dataTransfer.files.length > 0) void take([...event.dataTransfer.files]);
      }}
    >
      <ol className={p.pictures}>
        {slides.map((slide, at) => (
          <li
            key={slide.file}
            draggable
            data-dragged={dragged === at ? '' : undefined}
            className={s.slide}
            onDragStart={() => setDragged(at)}
            onDragEnd={() => setDragged(undefined)}
            onDragOver={(event) => event.preventDefault()}
            onDrop={(event) => {
              if (dragged === undefined) return;
              event.preventDefault();
              event.stopPropagation();
              move(dragged, at);
              setDragged(undefined);
            }}
          >
            <img src={slide.file} alt={slide.alt ?? ''} loading="lazy" />
            <label className={f.field}>
              {w.alt(at + 1)}
              <input
                value={slide.alt ?? ''}
                maxLength={1000}
                onChange={({ target }) => put(at, { alt: target.value })}
              />
            </label>
            <label className={f.field}>
              {w.url(at + 1)}
              <input
                value={slide.url}
                maxLength={1000}
                onChange={({ target }) => put(at, { url: target.value.trim() })}
              />
            </label>
            <div className={d.actions}>
              <Action disabled={at === 0} aria-label={w.earlier(at + 1)} onClick={() => move(at, at - 1)}>
                ↑
              </Action>
              <Action
                disabled={at === slides.length - 1}
                aria-label={w.later(at + 1)}
                onClick={() => move(at, at + 1)}
              >
                ↓
              </Action>
              <Action aria-label={w.remove(at + 1)} onClick={() => change(slides.filter((_, n) => n !== at))}>
                ×
              </Action>
            </div>
          </li>
        ))}
      </ol>
      <label className={f.field}>
        {w.add}
        <input
          type="file"
          accept="image/jpeg,image/png"
          multiple
          disabled={busy}
          onChange={({ target }) => {
            void take([...(target.files ?? [])]);
            target.value = '';
          }}
        />
      </label>
      <p role="alert" className={d.failed}>
        {failed}
      </p>
    </div>
  );
}
