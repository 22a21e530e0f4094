import { useState } from 'react';
import f from '../../parts/field.module.css';
import { Section } from '../../parts/parts';
import { Present } from '../changes/present';
import { Now, useAt } from '../desk/as-of';
import d from '../desk/desk.module.css';
import type { Value } from '../products/fields';
import s from './content.module.css';
import { Publish } from './publish';
import { type EditedDocument, proposalOf, type WrittenText } from './queries';
import { contentTexts, documentTexts as w } from './texts/ru';
import { Writing } from './writing';

const nothing: WrittenText = { title: '', source: '' };

const equal = (a: WrittenText, b: WrittenText) => a.title === b.title && a.source === b.source;

/** A text that shoppers agree to. Each publication is a version of its own; orders keep the one that they agreed to. */
export function DocumentEditor({ document: now }: { document: EditedDocument }) {
  // What the editor began with: what others save meanwhile is not taken for something that was changed here.
  const [document] = useState(now);
  const { name, version, text } = document;
  const was = text ?? { ru: nothing, kk: nothing };
  const [ru, setRu] = useState(was.ru);
  const [kk, setKk] = useState(was.kk);
  const past = useAt() !== '';
  const title = contentTexts.names[name];
  const item = (now: EditedDocument['text']) => [
    { thing: 'document', id: name, field: 'text', was: text as Value, now: now as Value },
  ];
  const half = !kk.title.trim() !== !kk.source.trim();
  const unchanged = equal(ru, was.ru) && equal(kk, was.kk);
  return (
    <>
      <Now>
        <Present thing="document" id={name} editing={!unchanged} />
      </Now>
      <p className={s.about}>
        {text ? w.inForce(version) : w.byDefault}{' '}
        <a href={`/documents/${name}`} target="_blank" rel="noreferrer">
          {w.page}
        </a>{' '}
        <a href={`/documents/${name}.pdf`} target="_blank" rel="noreferrer">
          {w.pdf}
        </a>
      </p>
      {(
        [
          ['ru', contentTexts.russian, ru, setRu, document.default],
          ['kk', contentTexts.kazakh, kk, setKk, document.default_kk],
        ] as const
      ).map(([lang, label, value, set, fallback]) => (
        <div key={lang}>
          <label className={f.field}>
            {w.titleIn(label)}
            <input
              lang={lang}
              maxLength={200}
              readOnly={past}
              value={value.title}
              placeholder={fallback.title}
              onChange={({ target }) => set({ ...value, title: target.value })}
            />
          </label>
          <Writing
            label={label}
            lang={lang}
            value={value.source}
            fallback={fallback.source}
            change={(source) => set({ title: value.title || fallback.title, source })}
          />
        </div>
      ))}
      <p className={d.quiet}>{w.placeholders}</p>
      <p role="alert" className={d.failed}>
        {half ? w.half : ''}
      </p>
      <Now>
        <Publish
          button={w.publish}
          disabled={unchanged || half || !ru.title.trim() || !ru.source.trim()}
          proposal={(at) => proposalOf(w.changeOf(title), item({ ru, kk }), at)}
        />
        {text ? (
          <Section title={w.withdraw}>
            <Publish
              button={w.withdraw}
              kind="soft"
              proposal={(at) => proposalOf(w.withdrawalOf(title), item(null), at)}
            />
          </Section>
        ) : null}
      </Now>
    </>
  );
}
