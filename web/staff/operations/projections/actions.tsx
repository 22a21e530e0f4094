import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { Dialog } from '../../src/design/dialog';
import { Checkbox, Choice, Choices, Field } from '../../src/design/field';
import { post } from '../../staff/api/client';
import { count } from '../../staff/parts/format';
import { Action, Confirm, Moment } from '../../staff/parts/parts';
import type { NewBuild, Projection } from '../api/types';
import s from './actions.module.css';

type What = 'pause' | 'resume' | 'rebuild' | 'verify' | 'as-of' | 'rollback';

/** Everything that can be done with a projection, each with what it means; what is chosen asks before it is done. */
export function Actions({ projection: p, close }: { projection: Projection; close: () => void }) {
  const title = useId();
  const [chosen, setChosen] = useState<What>();
  const [open, setOpen] = useState(true);
  if (chosen) return <Asked what={chosen} projection={p} close={close} />;

  const building = p.build ? 'A build of it is not finished: end that one first.' : undefined;
  const offers: { what: What; name: string; means: string; not?: string }[] = [
    p.state === 'paused'
      ? { what: 'resume', name: 'Resume', means: 'It goes on where it stopped.' }
      : { what: 'pause', name: 'Pause', means: 'It stops; readers see what it knew then.' },
    {
      what: 'rebuild',
      name: 'Rebuild',
      means: 'Folds the whole log anew beside the live model. Readers notice nothing.',
      not: building,
    },
    {
      what: 'verify',
      name: 'Verify',
      means: 'Folds anew and compares with the live model. Changes nothing.',
      not: building,
    },
    {
      what: 'as-of',
      name: 'Build as of…',
      means: 'The model as it was at a position or time, in a schema of its own.',
      not: building,
    },
    {
      what: 'rollback',
      name: 'Roll back',
      means: p.previous ? 'The model before answers again, within a second.' : 'Puts the model before back.',
      not: p.previous ? undefined : 'No earlier model is kept.',
    },
  ];
  return (
    <Dialog open={open} onClose={close} labelledBy={title}>
      <h2 id={title} className={s.title}>
        Act on {p.name}
      </h2>
      <ul className={s.offers}>
        {offers.map(({ what, name, means, not }) => (
          <li key={what}>
            <button
              type="button"
              className={s.offer}
              aria-disabled={Boolean(not)}
              aria-describedby={`${title}-${what}`}
              onClick={() => {
                if (!not) setChosen(what);
              }}
            >
              {name}
            </button>
            <p id={`${title}-${what}`}>{not ? `${means} Not now: ${lower(not)}` : means}</p>
          </li>
        ))}
      </ul>
      <div className={s.end}>
        <Action onClick={() => setOpen(false)}>Close</Action>
      </div>
    </Dialog>
  );
}

const lower = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);

function Asked({ what, projection: p, close }: { what: What; projection: Projection; close: () => void }) {
  const client = useQueryClient();
  const [swap, setSwap] = useState(false);
  const [by, setBy] = useState<'position' | 'time'>('time');
  const [position, setPosition] = useState('');
  const [time, setTime] = useState('');
  const [schema, setSchema] = useState('');
  const path = `/api/ops/projections/${encodeURIComponent(p.name)}`;
  const act = async (end: string, body: object = {}) => {
    await post(`${path}/${end}`, body);
    await Promise.all(['projections', 'builds'].map((key) => client.invalidateQueries({ queryKey: [key] })));
  };
  const build = (asked: NewBuild) => () => act('builds', asked);
  const ask = (rest: {
    title: string;
    button: string;
    danger?: boolean;
    disabled?: boolean;
    act: () => Promise<unknown>;
    children: ReactNode;
  }) => <Confirm key={what} close={close} {...rest} />;

  switch (what) {
    case 'pause':
      return ask({
        title: `Pause ${p.name}?`,
        button: 'Pause',
        danger: true,
        act: () => act('pause'),
        children: (
          <p>
            It stops folding events in every process and stays at about position <b>{count(p.position)}</b>.
            Readers go on seeing what it knows by then, which grows older until you resume it.
          </p>
        ),
      });
    case 'resume':
      return ask({
        title: `Resume ${p.name}?`,
        button: 'Resume',
        act: () => act('resume'),
        children: (
          <p>
            It goes on from position <b>{count(p.position)}</b> and catches up with <b>{count(p.lag)}</b>{' '}
            waiting events.
          </p>
        ),
      });
    case 'rebuild':
      return ask({
        title: `Rebuild ${p.name}?`,
        button: 'Rebuild',
        act: build({ kind: 'rebuild', auto_swap: swap }),
        children: (
          <>
            <p>
              All events up to <b>{count(p.head)}</b> are folded into a fresh model beside the live one, which
              readers keep using. Then both are compared row by row.
            </p>
            <Checkbox
              label="Swap by itself when nothing differs"
              checked={swap}
              onChange={(event) => setSwap(event.target.checked)}
            />
            <p>
              {swap
                ? 'When the two are equal, the fresh model takes the live one’s place without another question. If they differ, it waits for you. The old one is kept for a roll back.'
                : 'Nothing is swapped before you say so on the page of the build.'}
            </p>
          </>
        ),
      });
    case 'verify':
      return ask({
        title: `Verify ${p.name}?`,
        button: 'Verify',
        act: build({ kind: 'verify' }),
        children: (
          <p>
            All events up to about <b>{count(p.position)}</b> are folded afresh and compared with the live
            model at one position. You see “equal” or the differences. The live model is not changed.
          </p>
        ),
      });
    case 'as-of': {
      const ready = by === 'position' ? Number(position) > 0 : time !== '';
      return ask({
        title: `Build ${p.name} as of…`,
        button: 'Build',
        disabled: !ready,
        act: build({
          kind: 'as-of',
          ...(schema.trim() ? { schema: schema.trim() } : {}),
          ...(by === 'position'
            ? { position: Number(position) }
            : { time: ready ? new Date(time).toISOString() : '' }),
        }),
        children: (
          <>
            <p>
              The model as it was then is built into a schema of its own. Readers and the live model are not
              touched.
            </p>
            <Choices>
              <Choice
                label="At a time (your zone)"
                name="by"
                checked={by === 'time'}
                onChange={() => setBy('time')}
              />
              <Choice
                label="At a position of the log"
                name="by"
                checked={by === 'position'}
                onChange={() => setBy('position')}
              />
            </Choices>
            {by === 'time' ? (
              <Field label="Time" required>
                {(tied) => (
                  <input
                    {...tied}
                    type="datetime-local"
                    step={1}
                    value={time}
                    onChange={(event) => setTime(event.target.value)}
                  />
                )}
              </Field>
            ) : (
              <Field label="Position" required hint={`1 to ${count(p.head)}`}>
                {(tied) => (
                  <input
                    {...tied}
                    type="number"
                    inputMode="numeric"
                    min={1}
                    max={p.head}
                    value={position}
                    onChange={(event) => setPosition(event.target.value)}
                  />
                )}
              </Field>
            )}
            <Field
              label="Schema"
              required
              hint="Its name in PostgreSQL; empty: one that names the projection and the place."
            >
              {(tied) => (
                <input
                  {...tied}
                  autoCapitalize="off"
                  spellCheck={false}
                  value={schema}
                  onChange={(event) => setSchema(event.target.value)}
                />
              )}
            </Field>
          </>
        ),
      });
    }
    case 'rollback':
      return ask({
        title: `Roll ${p.name} back?`,
        button: 'Roll back',
        danger: true,
        act: () => act('rollback'),
        children: (
          <p>
            The model before it (version <b>{p.previous?.version}</b>, replaced{' '}
            <Moment at={p.previous?.replaced_at} />) takes the place of the present one (version{' '}
            <b>{p.version}</b>) within a second and catches up with the log. The present one is kept: rolling
            back once more brings it back.
          </p>
        ),
      });
  }
}
