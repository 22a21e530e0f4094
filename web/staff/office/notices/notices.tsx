import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Checkbox } from '../../../kit/design/checkbox';
import { type Column, Table } from '../../../kit/table/table';
import { words } from '../../api/client';
import { languageNames, languages } from '../../language';
import { useMay } from '../../me';
import e from '../../parts/entries.module.css';
import f from '../../parts/field.module.css';
import { Action, Head, Loaded, Moment, Section } from '../../parts/parts';
import { Webhooks } from './hooks';
import s from './notices.module.css';
import { refusesPushes, subscribe, takesPushes } from './push';
import {
  addBrowser,
  type Cause,
  type Choice,
  choose,
  dropBrowser,
  noticeQueries,
  type Notices as Told,
  tryMine,
} from './queries';
import { noticesTexts as w } from './texts/ru';

/** What one is told at once, and on which way; for an admin the shop's webhooks too. */
export function Notices() {
  const mine = useQuery(noticeQueries.mine());
  const may = useMay('staff.manage');
  return (
    <>
      <Head title={w.title} lead={w.lead} />
      <div className={s.parts}>
        <Loaded query={mine} what={w.what}>
          {(told) => (
            <>
              <Mine told={told} />
              <Browsers told={told} />
            </>
          )}
        </Loaded>
        {may ? <Webhooks /> : null}
      </div>
    </>
  );
}

const clock = (minute: number | null) =>
  minute === null
    ? ''
    : `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;

const minuteOf = (time: string): number | null => {
  const [hours, minutes] = time.split(':').map(Number);
  return hours === undefined || minutes === undefined || !time ? null : hours * 60 + minutes;
};

/** Has something done and says how it went. */
export function useAct() {
  const client = useQueryClient();
  const [said, setSaid] = useState('');
  const [failed, setFailed] = useState('');
  const act = async (change: () => Promise<unknown>, well = '') => {
    setSaid('');
    setFailed('');
    try {
      await change();
      await client.invalidateQueries({ queryKey: ['office'] });
      setSaid(well);
      return true;
    } catch (error) {
      setFailed(words(error));
      return false;
    }
  };
  const outcome = (
    <>
      <p role="status" className={s.said}>
        {said}
      </p>
      <p role="alert" className={s.failed}>
        {failed}
      </p>
    </>
  );
  return { act, outcome, setFailed };
}

const causeColumns = (choice: Choice): Column<Cause>[] => [
  { key: 'cause', title: w.cause, head: true, cell: (cause) => w.causes[cause] },
  ...(['mail', 'push'] as const).map((way) => ({
    key: way,
    title: w[way],
    cell: (cause: Cause) => (
      <input
        type="checkbox"
        name={`${way}:${cause}`}
        defaultChecked={choice[way].includes(cause)}
        aria-label={`${w.causes[cause]}, ${w[way].toLowerCase()}`}
      />
    ),
  })),
];

function Mine({ told }: { told: Told }) {
  const { causes, choice } = told;
  const { act, outcome, setFailed } = useAct();
  const [wrong, setWrong] = useState(false);
  const save = (event: FormEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const chosen = (way: string) => causes.filter((cause) => form.get(`${way}:${cause}`) === 'on');
    const body: Choice = {
      mail: chosen('mail'),
      push: chosen('push'),
      quiet_from: minuteOf(String(form.get('from'))),
      quiet_to: minuteOf(String(form.get('to'))),
      digest: form.get('digest') === 'on',
      language: String(form.get('language')) as Choice['language'],
    };
    const half = (body.quiet_from === null) !== (body.quiet_to === null);
    setWrong(half);
    if (half) setFailed('');
    else act(() => choose(body), w.saved);
  };
  return (
    <Section title={w.mine}>
      <form className={s.form} onSubmit={save} noValidate>
        <Table
          caption={w.ways}
          columns={causeColumns(choice)}
          rows={causes}
          rowKey={(cause) => cause}
          className={s.causes}
          empty={<p>{w.nothingToHear}</p>}
        />
        <fieldset className={s.quiet}>
          <legend>{w.quiet}</legend>
          <label className={f.field}>
            {w.from}
            <input type="time" name="from" defaultValue={clock(choice.quiet_from)} />
          </label>
          <label className={f.field}>
            {w.to}
            <input
              type="time"
              name="to"
              defaultValue={clock(choice.quiet_to)}
              aria-invalid={wrong}
              aria-describedby="quiet-wrong"
            />
          </label>
          <p id="quiet-wrong" role="alert" className={s.failed}>
            {wrong ? w.quietWrong : ''}
          </p>
        </fieldset>
        <Checkbox label={w.digest} name="digest" defaultChecked={choice.digest} />
        <label className={f.field}>
          {w.language}
          <select name="language" defaultValue={choice.language}>
            {languages.map((language) => (
              <option key={language} value={language}>
                {languageNames[language]}
              </option>
            ))}
          </select>
        </label>
        {outcome}
        <div className={s.buttons}>
          <Action kind="strong" type="submit">
            {w.save}
          </Action>
          <Action onClick={() => act(tryMine, w.tried)}>{w.try}</Action>
        </div>
      </form>
    </Section>
  );
}

function Browsers({ told }: { told: Told }) {
  const { act, outcome, setFailed } = useAct();
  const here = async () => {
    try {
      const subscription = await subscribe(told.push_key);
      const { endpoint, keys } = subscription ?? {};
      if (!endpoint || !keys?.p256dh || !keys.auth) return setFailed(w.pushRefused);
      const { p256dh, auth } = keys;
      await act(() => addBrowser({ endpoint, keys: { p256dh, auth } }), w.pushOn);
    } catch {
      setFailed(w.pushFailed);
    }
  };
  return (
    <Section title={w.browsers}>
      <p>{!takesPushes() ? w.pushNotHere : refusesPushes() ? w.pushRefused : w.browsersWhy}</p>
      <ul className={e.entries}>
        {told.browsers.map(({ id, name, created_at }) => (
          <li key={id}>
            <span>
              {name || w.someBrowser}, <Moment at={created_at} />
            </span>
            <Action
              kind="danger"
              aria-label={w.dropOf(name || w.someBrowser)}
              onClick={() => act(() => dropBrowser(id))}
            >
              {w.drop}
            </Action>
          </li>
        ))}
      </ul>
      {outcome}
      {takesPushes() && !refusesPushes() ? <Action onClick={here}>{w.pushHere}</Action> : null}
    </Section>
  );
}
