import { type ReactNode, useState } from 'react';
import { words } from '../../api/client';
import f from '../../parts/field.module.css';
import { Action } from '../../parts/parts';
import d from './desk.module.css';
import s from './pictures.module.css';

/** Sends files one after the other, for each takes much memory on the server, and says which were refused. */
export function useUploads<P>(upload: (file: File) => Promise<P>, add: (added: P[]) => void) {
  const [busy, setBusy] = useState(false);
  const [failed, setFailed] = useState('');
  const take = async (files: File[]) => {
    setBusy(true);
    setFailed('');
    const added: P[] = [];
    const wrong: string[] = [];
    for (const file of files) {
      try {
        added.push(await upload(file));
      } catch (error) {
        wrong.push(`${file.name}: ${words(error)}`);
      }
    }
    if (added.length > 0) add(added);
    setFailed(wrong.join('\n'));
    setBusy(false);
  };
  return { busy, failed, take };
}

/** A field that takes many pictures at once. */
export function ChoosePictures({
  label,
  busy,
  take,
}: {
  label: string;
  busy: boolean;
  take: (files: File[]) => void;
}) {
  return (
    <label className={f.field}>
      {label}
      <input
        type="file"
        accept="image/jpeg,image/png"
        multiple
        disabled={busy}
        onChange={({ target }) => {
          take([...(target.files ?? [])]);
          target.value = '';
        }}
      />
    </label>
  );
}

type Props<P> = {
  pictures: P[];
  change: (next: P[]) => void;
  src: (picture: P) => string;
  alt: (picture: P) => string | undefined;
  upload: (file: File) => Promise<P>;
  /** What is said of a picture, below it. */
  fields: (picture: P, at: number, put: (part: Partial<P>) => void) => ReactNode;
  /** What else can be done with a picture. */
  acts?: (picture: P, at: number) => ReactNode;
  texts: {
    add: string;
    earlier: (n: number) => string;
    later: (n: number) => string;
    remove: (n: number) => string;
  };
  /** Whether they are shown as wide as their place. */
  wide?: boolean;
};

/** Pictures in their order: many can be dropped at once; they are put elsewhere by drag, and by the arrows of each. */
export function PictureList<P>({
  pictures,
  change,
  src,
  alt,
  upload,
  fields,
  acts,
  texts,
  wide = false,
}: Props<P>) {
  const [dragged, setDragged] = useState<number>();
  const { busy, failed, take } = useUploads(upload, (added) => {
    const fresh = added.filter((one) => !pictures.some((other) => src(other) === src(one)));
    if (fresh.length > 0) change([...pictures, ...fresh]);
  });
  const move = (from: number, to: number) => {
    const next = [...pictures];
    const [one] = next.splice(from, 1);
    if (one) next.splice(to, 0, one);
    change(next);
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
      <ol className={wide ? s.wide : s.pictures}>
        {pictures.map((picture, at) => (
          <li
            key={src(picture)}
            draggable
            data-dragged={dragged === at ? '' : undefined}
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
            <img src={src(picture)} alt={alt(picture) ?? ''} loading="lazy" />
            {fields(picture, at, (part) =>
              change(pictures.map((one, n) => (n === at ? { ...one, ...part } : one))),
            )}
            <div className={d.actions}>
              <Action disabled={at === 0} aria-label={texts.earlier(at + 1)} onClick={() => move(at, at - 1)}>
                ↑
              </Action>
              <Action
                disabled={at === pictures.length - 1}
                aria-label={texts.later(at + 1)}
                onClick={() => move(at, at + 1)}
              >
                ↓
              </Action>
              {acts?.(picture, at)}
              <Action
                aria-label={texts.remove(at + 1)}
                onClick={() => change(pictures.filter((_, n) => n !== at))}
              >
                ×
              </Action>
            </div>
          </li>
        ))}
      </ol>
      <ChoosePictures label={texts.add} busy={busy} take={take} />
      <p role="alert" className={s.failed}>
        {failed}
      </p>
    </div>
  );
}
