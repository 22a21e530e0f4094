import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSearchParams } from '../../../kit/router/router';
import { type Column, Table } from '../../../kit/table/table';
import t from '../../../kit/table/table.module.css';
import { useMe } from '../../me';
import f from '../../parts/field.module.css';
import { count } from '../../parts/format';
import { Mark, type Tone } from '../../parts/mark';
import { Action, Head, Loaded, Loading, Moment, Nothing } from '../../parts/parts';
import { frameTexts } from '../../texts/ru';
import { Invite } from './invite';
import { type Invitation, type Member, teamQueries } from './queries';
import { Sheet } from './sheet';
import s from './staff.module.css';
import { teamTexts as w } from './texts/ru';

/** The accounts of staff, narrowed by what stands in the address, and what may be done to each. */
export function Team() {
  const [address, setAddress] = useSearchParams();
  const [inviting, setInviting] = useState(false);
  const [open, setOpen] = useState<{ id: string; link?: Invitation['link'] }>();
  const me = useMe();
  const found = useQuery(teamQueries.all());
  const narrow = (name: string, value: string) => {
    const next = new URLSearchParams(address);
    if (value) next.set(name, value);
    else next.delete(name);
    setAddress(next, { replace: true });
  };
  const fits = ({ role, state }: Member) =>
    (!address.get('role') || role === address.get('role')) &&
    (!address.get('state') || state === address.get('state'));
  const chosen = found.data?.find(({ id }) => id === open?.id);
  return (
    <>
      <Head title={w.title} lead={w.lead}>
        <Action kind="strong" onClick={() => setInviting(true)}>
          {w.invite}
        </Action>
      </Head>
      <div className={s.filters}>
        <Choice
          name={w.role}
          value={address.get('role')}
          of={frameTexts.roles}
          choose={(role) => narrow('role', role)}
        />
        <Choice
          name={w.state}
          value={address.get('state')}
          of={w.states}
          choose={(state) => narrow('state', state)}
        />
      </div>
      <Loaded query={found} what={w.what} loading={<Loading rows={6} height={64} />}>
        {(all) => (
          <Table
            caption={w.title}
            columns={columns(me.id, (id) => setOpen({ id }))}
            rows={all.filter(fits)}
            rowKey={({ id }) => id}
            empty={<Nothing title={w.none}>{w.noneWhy}</Nothing>}
            cards
          />
        )}
      </Loaded>
      <Invite
        open={inviting}
        close={() => setInviting(false)}
        invited={({ account, link }) => {
          setInviting(false);
          setOpen({ id: account.id, link });
        }}
      />
      {chosen && open ? (
        <Sheet key={open.id} member={chosen} link={open.link} close={() => setOpen(undefined)} />
      ) : null}
    </>
  );
}

function Choice({
  name,
  value,
  of,
  choose,
}: {
  name: string;
  value: string | null;
  of: Record<string, string>;
  choose: (value: string) => void;
}) {
  return (
    <label className={f.field}>
      {name}
      <select value={value ?? ''} onChange={({ target }) => choose(target.value)}>
        <option value="">{w.any}</option>
        {Object.entries(of).map(([one, called]) => (
          <option key={one} value={one}>
            {called}
          </option>
        ))}
      </select>
    </label>
  );
}

const tones: Record<Member['state'], Tone> = { active: 'good', invited: 'busy', disabled: 'rest' };

const columns = (own: string, open: (id: string) => void): Column<Member>[] => [
  {
    key: 'email',
    title: w.email,
    head: true,
    cell: ({ id, email }) => (
      <>
        {email}
        {id === own ? <span className={t.sub}>{w.you}</span> : null}
      </>
    ),
  },
  { key: 'role', title: w.role, cell: ({ role }) => frameTexts.roles[role] },
  {
    key: 'state',
    title: w.state,
    cell: ({ state, locked_until }) => (
      <div>
        <Mark tone={tones[state]}>{w.states[state]}</Mark>
        {locked_until ? <Mark tone="bad">{w.locked}</Mark> : null}
      </div>
    ),
  },
  {
    key: 'factor',
    title: w.factor,
    cell: ({ totp, passkeys }) =>
      [totp ? w.authenticator : '', passkeys > 0 ? w.passkeys(passkeys) : ''].filter(Boolean).join(', ') ||
      w.noFactor,
  },
  {
    key: 'sessions',
    title: w.sessions,
    number: true,
    cell: ({ sessions }) => (sessions > 0 ? count(sessions) : w.nowhere),
  },
  { key: 'signed-in', title: w.signedIn, cell: ({ signed_in_at }) => <Moment at={signed_in_at} /> },
  {
    key: 'manage',
    title: w.actions,
    actions: true,
    cell: ({ id, email }) => (
      <Action aria-label={w.manageOf(email)} onClick={() => open(id)}>
        {w.manage}
      </Action>
    ),
  },
];
