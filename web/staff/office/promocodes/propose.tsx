import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { isRecord, Problem } from '../../../kit/api/problem';
import { Link } from '../../../kit/design/link';
import t from '../../../kit/table/table.module.css';
import { words } from '../../api/client';
import f from '../../parts/field.module.css';
import { count } from '../../parts/format';
import { Action } from '../../parts/parts';
import d from '../desk/desk.module.css';
import {
  type Accepted,
  dryRun,
  type ItemResult,
  momentOf,
  type Proposal,
  propose,
} from '../products/changes';
import { wrongField } from './draft';
import s from './promocodes.module.css';
import { promocodeTexts as w } from './texts/ru';

/** Asks for a reason and a time, tries a change and proposes it, and says what became of it. */
export function ProposeForm({
  make,
  ready,
  button,
  children,
  done,
}: {
  /** The change, made anew for each try. */
  make: (reason: string) => Promise<Proposal>;
  ready: boolean;
  button: string;
  /** The fields of the change; they hear which of them was refused. */
  children?: (wrong: string) => ReactNode;
  /** Hears which change was proposed. */
  done?: (proposal: Proposal) => void;
}) {
  const client = useQueryClient();
  const [reason, setReason] = useState('');
  const [starts, setStarts] = useState('');
  const [ends, setEnds] = useState('');
  const [busy, setBusy] = useState(false);
  const [failed, setFailed] = useState('');
  const [wrong, setWrong] = useState('');
  const [became, setBecame] = useState<Accepted>();
  const act = async (send: (proposal: Proposal) => Promise<Accepted>, sent: boolean) => {
    setBusy(true);
    setFailed('');
    setWrong('');
    setBecame(undefined);
    try {
      const starts_at = momentOf(starts);
      const ends_at = momentOf(ends);
      const proposal: Proposal = {
        ...(await make(reason.trim())),
        ...(starts_at ? { starts_at } : {}),
        ...(ends_at ? { ends_at } : {}),
      };
      const answered = await send(proposal);
      setBecame(answered);
      setWrong(wrongField(answered.results));
      if (!sent) return;
      await client.invalidateQueries({ queryKey: ['office', 'promocodes'] });
      done?.(proposal);
    } catch (error) {
      const at = wrongField(resultsOf(error));
      setWrong(at);
      if (!at) setFailed(words(error));
    } finally {
      setBusy(false);
    }
  };
  const off = !ready || busy;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!off && reason.trim()) void act(propose, true);
      }}
    >
      {children?.(wrong)}
      <div className={s.fields}>
        <label className={f.field}>
          {w.reason}
          <input
            required
            value={reason}
            maxLength={1000}
            onChange={({ target }) => setReason(target.value)}
          />
        </label>
        <label className={f.field}>
          {w.startsAt}
          <input type="datetime-local" value={starts} onChange={({ target }) => setStarts(target.value)} />
        </label>
        <label className={f.field}>
          {w.endsAt}
          <input type="datetime-local" value={ends} onChange={({ target }) => setEnds(target.value)} />
        </label>
      </div>
      <div className={d.actions}>
        <Action disabled={off} onClick={() => void act(dryRun, false)}>
          {w.dryRun}
        </Action>
        <Action type="submit" kind="strong" disabled={off || !reason.trim()}>
          {button}
        </Action>
      </div>
      <p role="alert" className={d.failed}>
        {failed}
      </p>
      {became ? <Became of={became} /> : null}
    </form>
  );
}

/** What a refused change says of its items. */
const resultsOf = (error: unknown): ItemResult[] =>
  error instanceof Problem && isRecord(error.body) && Array.isArray(error.body.results)
    ? error.body.results
    : [];

/** What became of a change, or would. */
function Became({ of }: { of: Accepted }) {
  const done = of.results.filter(({ outcome }) => outcome === 'done').length;
  const refused = of.results.filter(({ outcome }) => outcome === 'refused' || outcome === 'conflict');
  return (
    <div role="status">
      <p>
        {of.id ? w.proposed(count(done)) : w.would(count(done))}{' '}
        {of.needs.length > 0 || of.status === 'planned' ? w.waits : null}{' '}
        {of.id ? (
          <Link className={t.link} to={`/admin/changes/${of.id}`}>
            {w.change}
          </Link>
        ) : null}
      </p>
      <ul>
        {refused.slice(0, 20).map((one) => (
          <li key={one.id}>
            {one.id}: {w.wrong[wrongField([one]) as keyof typeof w.wrong] ?? (one.detail || w.conflict)}
          </li>
        ))}
      </ul>
    </div>
  );
}
