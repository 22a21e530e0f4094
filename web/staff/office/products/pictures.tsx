import { useState } from 'react';
import { words } from '../../api/client';
import f from '../../parts/field.module.css';
import { Action } from '../../parts/parts';
import d from '../desk/desk.module.css';
import s from './products.module.css';
import { addPicture, type Picture } from './sheet';
import { editorTexts as w } from './texts/ru';

/** The pictures of a product: many can be dropped at once, put into another order, and told to those who do not see them. */
export function Pictures({
  article,
  pictures,
  change,
}: {
  article: string;
  pictures: Picture[];
  change: (next: Picture[]) => void;
}) {
  const [failed, setFailed] = useState<string[]>([]);
  const [busy, setBusy] = useState(false);
  const take = async (files: File[]) => {
    setBusy(true);
    const wrong: string[] = [];
    const added: Picture[] = [];
    // One after the other: each takes much memory on the server.
    for (const file of files) {
      try {
        added.push(await addPicture(article, file));
      } catch (error) {
        wrong.push(`${file.name}: ${words(error)}`);
      }
    }
    const fresh = added.filter(({ src }) => !pictures.some((one) => one.src === src));
    if (fresh.length > 0) change([...pictures, ...fresh]);
    setFailed(wrong);
    setBusy(false);
  };
  const put = (at: number, part: Partial<Picture>) =>
    change(pictures.map((one, n) => (n === at ? { ...one, ...part } : one)));
  const move = (at: number, by: number) => {
    const next = [...pictures];
    const [one] = next.splice(at, 1);
    if (one) next.splice(at + by, 0, one);
    change(next);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: a place to drop files, beside the field that takes them by keyboard
    <div
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        void take([...event.dataTransfer.files]);
      }}
    >
      <ol className={s.pictures}>
        {pictures.map((picture, at) => (
          <li key={picture.src}>
            <img src={picture.src} alt={picture.alt ?? ''} width={120} height={120} loading="lazy" />
            <label className={f.field}>
              {w.alt(at + 1)}
              <input
                value={picture.alt ?? ''}
                maxLength={300}
                onChange={({ target }) => put(at, { alt: target.value })}
              />
            </label>
            <label className={f.field}>
              {w.altKazakh(at + 1)}
              <input
                lang="kk"
                value={picture.alt_kk ?? ''}
                maxLength={300}
                onChange={({ target }) => put(at, { alt_kk: target.value })}
              />
            </label>
            <div className={d.actions}>
              <Action disabled={at === 0} aria-label={w.earlier(at + 1)} onClick={() => move(at, -1)}>
                ↑
              </Action>
              <Action
                disabled={at === pictures.length - 1}
                aria-label={w.later(at + 1)}
                onClick={() => move(at, 1)}
              >
                ↓
              </Action>
              <Action
                aria-label={w.removePicture(at + 1)}
                onClick={() => change(pictures.filter((_, n) => n !== at))}
              >
                ×
              </Action>
            </div>
          </li>
        ))}
      </ol>
      <label className={f.field}>
        {w.addPictures}
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
        {failed.join('\n')}
      </p>
    </div>
  );
}
