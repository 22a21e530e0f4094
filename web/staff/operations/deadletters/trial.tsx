import { useState } from 'react';
import { answer } from '../../../kit/api/answer';
import t from '../../../kit/table/table.module.css';
import { api } from '../../api/client';
import { count } from '../../parts/format';
import { Mark } from '../../parts/mark';
import { Action, Failed } from '../../parts/parts';
import { countTexts } from '../../texts/ru';
import type { DryRun } from '../api/types';
import { letterTexts } from '../texts/ru';
import s from './dead-letters.module.css';

/** Tries dead letters without changing anything; without streams all of the projection's. */
export function useDryRun(projection: string, streams?: string[]) {
  const [trial, setTrial] = useState<{ busy: boolean; error?: unknown; told?: DryRun }>({ busy: false });
  const run = async () => {
    setTrial({ busy: true });
    try {
      const call = api.POST('/api/ops/deadletters/{projection}/dry-run/', {
        params: { path: { projection } },
        body: streams ? { streams } : {},
      });
      setTrial({ busy: false, told: await answer(call) });
    } catch (error) {
      setTrial({ busy: false, error });
    }
  };
  return { ...trial, run };
}

type Trying = ReturnType<typeof useDryRun>;

export function DryRunButton({ trial: { busy, run } }: { trial: Trying }) {
  return (
    <Action kind="plain" onClick={run} aria-disabled={busy}>
      {busy ? letterTexts.trying : letterTexts.dryRun}
    </Action>
  );
}

/** The result that a retry would have. */
export function TrialResult({ trial: { error, told, run } }: { trial: Trying }) {
  return (
    <>
      <div role="status" className={s.trial}>
        {told ? <Told told={told} /> : null}
      </div>
      {error ? <Failed error={error} retry={run} what={letterTexts.whatDryRun} /> : null}
    </>
  );
}

function Told({ told: { results, more } }: { told: DryRun }) {
  const good = results.filter(({ ok }) => ok).length;
  return (
    <div className={s.results}>
      <p>
        <b>{letterTexts.wouldFold(count(good), countTexts.events(results.length))}</b> {letterTexts.unchanged}
        {more ? ` ${letterTexts.more}` : ''}
      </p>
      <ul>
        {results.map((one) => (
          <li key={one.position}>
            <Mark tone={one.ok ? 'good' : one.error ? 'bad' : 'rest'}>
              {one.ok ? letterTexts.wouldPass : one.error ? letterTexts.wouldFail : letterTexts.notReached}
            </Mark>
            <span>
              {count(one.position)} {one.type}
              <span className={t.sub}>
                {one.stream}
                {one.error ? `: ${one.error}` : ''}
              </span>
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
