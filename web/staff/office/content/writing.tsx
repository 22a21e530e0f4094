import { useQuery } from '@tanstack/react-query';
import { useEffect, useId, useRef, useState } from 'react';
import f from '../../parts/field.module.css';
import { Action } from '../../parts/parts';
import { Now, useAt } from '../desk/as-of';
import d from '../desk/desk.module.css';
import { ChoosePictures, useUploads } from '../desk/pictures';
import s from './content.module.css';
import { addPicture, contentQueries } from './queries';
import { safe } from './safe';
import { writingTexts as w } from './texts/ru';

/** Milliseconds without a key after which the preview is asked for. */
const calm = 300;

/** Characters that a text of the shop may have. */
const longest = 200_000;

/** A text in Markdown, and beside it what shoppers would see. Pictures are dropped into it, or chosen. */
export function Writing({
  label,
  value,
  change,
  fallback = '',
  lang = 'ru',
}: {
  label: string;
  value: string;
  change: (next: string) => void;
  /** HTML that is shown while the text is empty. */
  fallback?: string;
  lang?: string;
}) {
  const id = useId();
  const past = useAt() !== '';
  const area = useRef<HTMLTextAreaElement>(null);
  const [still, setStill] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setStill(value), calm);
    return () => clearTimeout(timer);
  }, [value]);
  const shown = useQuery({ ...contentQueries.preview(still), enabled: still !== '' });
  const { busy, failed, take } = useUploads(addPicture, (added) => {
    const at = area.current?.selectionStart ?? value.length;
    const written = added.map(({ src }) => `![${w.altHere}](${src})`).join('\n\n');
    change(`${value.slice(0, at)}\n\n${written}\n\n${value.slice(at)}`);
  });
  return (
    <div className={s.writing}>
      <div className={s.source}>
        <label className={f.field} htmlFor={id}>
          {label}
        </label>
        <textarea
          id={id}
          ref={area}
          lang={lang}
          rows={18}
          readOnly={past}
          maxLength={longest}
          value={value}
          aria-describedby={`${id}-hint`}
          onChange={({ target }) => change(target.value)}
          onDragOver={(event) => event.preventDefault()}
          onDrop={(event) => {
            if (past || event.dataTransfer.files.length === 0) return;
            event.preventDefault();
            void take([...event.dataTransfer.files]);
          }}
        />
        <p id={`${id}-hint`} className={d.quiet}>
          {w.hint}
        </p>
        <Now>
          <div className={d.actions}>
            <ChoosePictures label={w.addPicture} busy={busy} take={take} />
            {fallback && value === '' ? (
              <Action onClick={() => change(fallback)}>{w.beginWith}</Action>
            ) : null}
          </div>
        </Now>
        <p role="alert" className={d.failed}>
          {failed}
        </p>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long preview scrolls by keyboard */}
      <section className={s.shown} aria-label={w.previewOf(label)} tabIndex={0}>
        <h2>{value === '' && fallback ? w.ownText : w.preview}</h2>
        <div
          className={s.text}
          lang={lang}
          // biome-ignore lint/security/noDangerouslySetInnerHtml: the server sanitises a text when it renders it
          dangerouslySetInnerHTML={{
            __html: safe(value === '' ? fallback : still === '' ? '' : (shown.data?.html ?? '')),
          }}
        />
      </section>
    </div>
  );
}
