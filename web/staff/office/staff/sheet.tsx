import { useId, useState } from 'react';
import { Problem } from '../../../kit/api/problem';
import { Button } from '../../../kit/design/button';
import { Dialog } from '../../../kit/design/dialog';
import { useMe } from '../../me';
import f from '../../parts/field.module.css';
import { Action, Confirm, Moment } from '../../parts/parts';
import { frameTexts } from '../../texts/ru';
import { changes, type Invitation, type Member, type Role, refusal, useChange } from './queries';
import s from './staff.module.css';
import { teamTexts as w } from './texts/ru';

type Asked = 'disable' | 'reset' | 'signOut';

/** What may be done to one account. A link that was just made is shown here and nowhere else. */
export function Sheet({
  member,
  link,
  close,
}: {
  member: Member;
  link?: Invitation['link'];
  close: () => void;
}) {
  const id = useId();
  const own = useMe().id === member.id;
  const change = useChange();
  const [made, setMade] = useState(link);
  const [asked, setAsked] = useState<Asked>();
  const act = async (does: () => Promise<Member | Invitation>) => {
    setMade(undefined);
    const now = await change.mutateAsync(does);
    if ('link' in now) setMade(now.link);
  };
  // What was refused stands in the change's error.
  const press = (does: () => Promise<Member | Invitation>) => act(does).catch(() => undefined);
  const sure: Record<Asked, () => Promise<Member | Invitation>> = {
    disable: () => changes.access(member.id, false),
    reset: () => changes.reset(member.id),
    signOut: () => changes.signOut(member.id),
  };
  return (
    <>
      <Dialog open onClose={close} labelledBy={`${id}-title`}>
        <div className={s.sheet}>
          <h2 id={`${id}-title`} className={s.title}>
            {member.email}
          </h2>
          {made ? <Link link={made} /> : null}
          {own ? <p>{w.own}</p> : <RoleForm key={member.role} member={member} change={press} />}
          <div className={s.actions}>
            {member.state === 'invited' ? (
              <Action onClick={() => press(() => changes.invitation(member.id))}>{w.invitation}</Action>
            ) : null}
            {member.locked_until ? (
              <Action onClick={() => press(() => changes.unlock(member.id))}>{w.unlock}</Action>
            ) : null}
            {member.sessions > 0 ? <Action onClick={() => setAsked('signOut')}>{w.signOut}</Action> : null}
            {!own && member.state === 'active' ? (
              <Action onClick={() => setAsked('reset')}>{w.reset}</Action>
            ) : null}
            {own ? null : member.state === 'disabled' ? (
              <Action onClick={() => press(() => changes.access(member.id, true))}>{w.enable}</Action>
            ) : (
              <Action kind="danger" onClick={() => setAsked('disable')}>
                {w.disable}
              </Action>
            )}
          </div>
          <p role="alert" className={s.error}>
            {change.error && !asked ? refusal(change.error) : ''}
          </p>
          <p role="status" className={s.done}>
            {change.isSuccess ? w.done : ''}
          </p>
          <Button kind="soft" onClick={close}>
            {w.close}
          </Button>
        </div>
      </Dialog>
      {asked ? (
        <Confirm
          title={`${w[asked]}: ${member.email}`}
          button={w[asked]}
          danger
          act={() =>
            act(sure[asked]).catch((failure) => {
              throw new Problem(failure instanceof Problem ? failure.status : 0, {
                detail: refusal(failure),
              });
            })
          }
          close={() => setAsked(undefined)}
        >
          {w.sure[asked]}
        </Confirm>
      ) : null}
    </>
  );
}

function RoleForm({
  member,
  change,
}: {
  member: Member;
  change: (does: () => Promise<Member>) => Promise<unknown>;
}) {
  const id = useId();
  const [role, setRole] = useState<Role>(member.role);
  return (
    <form
      className={s.role}
      onSubmit={(event) => {
        event.preventDefault();
        if (role !== member.role) change(() => changes.role(member.id, role));
      }}
    >
      <label className={f.field}>
        {w.role}
        <select
          value={role}
          aria-describedby={`${id}-why`}
          onChange={({ target }) => setRole(target.value as Role)}
        >
          {(Object.keys(frameTexts.roles) as Role[]).map((one) => (
            <option key={one} value={one}>
              {frameTexts.roles[one]}
            </option>
          ))}
        </select>
      </label>
      <Action type="submit" disabled={role === member.role}>
        {w.saveRole}
      </Action>
      <span id={`${id}-why`}>{w.roleWhy}</span>
    </form>
  );
}

function Link({ link }: { link: Invitation['link'] }) {
  const [copied, setCopied] = useState(false);
  const whole = new URL(link.path, location.origin).href;
  return (
    <div className={s.link}>
      <label>
        {w.link}
        <input readOnly value={whole} onFocus={({ target }) => target.select()} />
      </label>
      <p>
        {w.linkWhy} {w.linkUntil} <Moment at={link.ends_at} />
      </p>
      <Action
        onClick={async () => {
          await navigator.clipboard?.writeText(whole);
          setCopied(true);
        }}
      >
        {w.copy}
      </Action>
      <span role="status">{copied ? w.copied : ''}</span>
    </div>
  );
}
