import { useId, useRef } from 'react';
import f from '../../parts/field.module.css';
import { Action } from '../../parts/parts';
import d from '../desk/desk.module.css';
import type { Language, Sentence } from './queries';
import { wordingTexts as w } from './texts/ru';
import s from './wording.module.css';
import { isLine, wrong } from './wrong';

/** One text of a letter, with what it may leave to the letter. */
export function SentenceField({
  sentence,
  language,
  value,
  change,
  begin,
}: {
  sentence: Sentence;
  language: Language;
  value: string;
  change: (next: string) => void;
  /** Called when somebody turns to the text. */
  begin: () => void;
}) {
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const label = w.names[sentence.name as keyof typeof w.names] ?? sentence.name;
  const fault = wrong(sentence, value);
  const { own } = sentence[language];
  const insert = (placeholder: string) => {
    const from = area.current?.selectionStart ?? value.length;
    const to = area.current?.selectionEnd ?? from;
    change(value.slice(0, from) + placeholder + value.slice(to));
    area.current?.focus();
  };
  return (
    <div className={s.sentence}>
      <label className={f.field}>
        {label}
        <textarea
          ref={area}
          lang={language}
          rows={isLine(sentence.name) ? 1 : Math.max(2, Math.ceil(own.length / 60))}
          value={value}
          aria-invalid={fault !== ''}
          aria-describedby={id}
          onFocus={begin}
          onChange={({ target }) => change(target.value)}
        />
      </label>
      <p id={id} role="alert" className={d.failed}>
        {fault}
      </p>
      <div className={s.placeholders}>
        {sentence.placeholders.map((one) => {
          const what = w.placeholders[one as keyof typeof w.placeholders] ?? '';
          return (
            <button
              key={one}
              type="button"
              title={what}
              aria-label={w.insert(one, what, label)}
              onClick={() => insert(one)}
            >
              {one}
            </button>
          );
        })}
        {value.trim() === own || value.trim() === '' ? null : (
          <Action aria-label={w.asItWasOf(label)} onClick={() => change(own)}>
            {w.asItWas}
          </Action>
        )}
      </div>
    </div>
  );
}
