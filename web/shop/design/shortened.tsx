import { useId, useState } from 'react';
import { Button } from '../../kit/design/button';
import { shortenedTexts } from '../texts/design';
import { firstSentences } from './format';
import s from './shortened.module.css';

/** The first sentences of a text, and a button that shows the rest when there is more. */
export function Shortened({
  text,
  sentences,
  about,
  lang = 'ru',
}: {
  text: string;
  sentences: number;
  about: string;
  lang?: 'kk' | 'ru';
}) {
  const id = useId();
  const [open, setOpen] = useState(false);
  const { head, cut } = firstSentences(text, sentences);
  if (!text) return null;
  const t = shortenedTexts;
  return (
    <div className={s.shortened}>
      <p id={id} lang={lang}>
        {open ? text : head}
      </p>
      {cut ? (
        <Button
          kind="soft"
          aria-expanded={open}
          aria-controls={id}
          aria-label={`${open ? t.less : t.more}: ${about}`}
          onClick={() => setOpen(!open)}
        >
          {open ? t.less : t.more}
        </Button>
      ) : null}
    </div>
  );
}
