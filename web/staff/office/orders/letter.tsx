import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { Dialog } from '../../../kit/design/dialog';
import t from '../../../kit/table/table.module.css';
import { useMay } from '../../me';
import { Action, Fact, Facts, Loaded, Moment } from '../../parts/parts';
import { letterOf } from '../api/queries';
import { sheetTexts, sentLetterTexts as w } from '../texts/ru';
import s from './order.module.css';

type Props = { number: number; version: number; kind: string; state: string };

/** A letter that an event caused; one that was sent opens as it was. */
export function Letter({ number, version, kind, state }: Props) {
  const id = useId();
  const [open, setOpen] = useState(false);
  const may = useMay('personal.see') && state === 'sent';
  const name = w.kinds[kind as keyof typeof w.kinds] ?? kind;
  const said = `${name} (${w.states[state as keyof typeof w.states] ?? state})`;
  if (!may) {
    return (
      <span className={s.quiet}>
        {sheetTexts.letters}: {said}
      </span>
    );
  }
  return (
    <span className={s.quiet}>
      {sheetTexts.letters}:{' '}
      <button type="button" className={t.link} aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {said}
      </button>
      <Dialog open={open} onClose={() => setOpen(false)} labelledBy={id} place="wide">
        <h2 id={id}>{w.title(name)}</h2>
        {open ? <Sent number={number} version={version} /> : null}
        <Action onClick={() => setOpen(false)}>{w.close}</Action>
      </Dialog>
    </span>
  );
}

function Sent({ number, version }: Pick<Props, 'number' | 'version'>) {
  const found = useQuery(letterOf(number, version));
  return (
    <Loaded query={found} what={w.what}>
      {(letter) => (
        <>
          <p>{w.why}</p>
          <Facts>
            <Fact label={w.to}>{letter.to}</Fact>
            <Fact label={w.when}>
              <Moment at={letter.at} />
            </Fact>
          </Facts>
          <h3 lang="ru">{letter.subject}</h3>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it */}
          <section className={s.letter} aria-label={w.text} tabIndex={0} lang="ru">
            {letter.text}
          </section>
        </>
      )}
    </Loaded>
  );
}
