import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { useForm } from 'react-hook-form';
import { done } from '../../../kit/api/answer';
import { Checkbox } from '../../../kit/design/checkbox';
import { Dialog } from '../../../kit/design/dialog';
import { Choice, Choices } from '../../../kit/design/field';
import { FormField } from '../../../kit/form/form-field';
import { Rich } from '../../../kit/texts/rich';
import { api } from '../../api/client';
import { count } from '../../parts/format';
import { Action, Confirm, Moment } from '../../parts/parts';
import type { NewBuild, Projection } from '../api/types';
import { actionTexts, projectionTexts } from '../texts/ru';
import s from './actions.module.css';

type What = 'pause' | 'resume' | 'rebuild' | 'verify' | 'as-of' | 'rollback';
type Offer = { what: What; name: string; means: string; not?: string | undefined };

/** Everything that can be done with a projection, each with what it means; what is chosen asks before it is done. */
export function Actions({ projection: p, close }: { projection: Projection; close: () => void }) {
  const title = useId();
  const [chosen, setChosen] = useState<What>();
  const [open, setOpen] = useState(true);
  if (chosen) return <Asked key={chosen} what={chosen} projection={p} close={close} />;
  return (
    <Dialog open={open} onClose={close} labelledBy={title}>
      <h2 id={title} className={s.title}>
        {projectionTexts.actOn(p.name)}
      </h2>
      <ul className={s.offers}>
        {offersOf(p).map(({ what, name, means, not }) => (
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
            <p id={`${title}-${what}`}>{not ? actionTexts.notNow(means, not) : means}</p>
          </li>
        ))}
      </ul>
      <div className={s.end}>
        <Action onClick={() => setOpen(false)}>{actionTexts.close}</Action>
      </div>
    </Dialog>
  );
}

function offersOf(p: Projection): Offer[] {
  const t = actionTexts;
  const policy = p.kind === 'policy' ? t.ofPolicy : undefined;
  const building = policy ?? (p.build ? t.building : undefined);
  return [
    p.state === 'paused'
      ? { what: 'resume', name: t.resume, means: t.resumeMeans }
      : { what: 'pause', name: t.pause, means: t.pauseMeans },
    { what: 'rebuild', name: t.rebuild, means: t.rebuildMeans, not: building },
    { what: 'verify', name: t.verify, means: t.verifyMeans, not: building },
    { what: 'as-of', name: t.asOf, means: t.asOfMeans, not: building },
    {
      what: 'rollback',
      name: t.rollback,
      means: p.previous ? t.rollbackMeans : t.rollbackNone,
      not: policy ?? (p.previous ? undefined : t.noEarlier),
    },
  ];
}

type Question = { projection: Projection; close: () => void };

/** What one of the actions says before it is done. */
function Asked({ what, projection: p, close }: { what: What } & Question) {
  const t = actionTexts;
  const act = useAct(p);
  const text = (text: string, parts?: ReactNode[]) => (
    <p>
      <Rich text={text} parts={parts} />
    </p>
  );
  switch (what) {
    case 'pause':
      return (
        <Confirm title={t.pauseTitle(p.name)} button={t.pause} danger act={act.pause} close={close}>
          {text(t.pauseText(count(p.position)))}
        </Confirm>
      );
    case 'resume':
      return (
        <Confirm title={t.resumeTitle(p.name)} button={t.resume} act={act.resume} close={close}>
          {text(t.resumeText(count(p.position), count(p.lag)))}
        </Confirm>
      );
    case 'rebuild':
      return <Rebuild projection={p} close={close} />;
    case 'verify':
      return (
        <Confirm
          title={t.verifyTitle(p.name)}
          button={t.verify}
          act={() => act.build({ kind: 'verify' })}
          close={close}
        >
          {text(t.verifyText(count(p.position)))}
        </Confirm>
      );
    case 'as-of':
      return <AsOf projection={p} close={close} />;
    case 'rollback':
      return (
        <Confirm title={t.rollbackTitle(p.name)} button={t.rollback} danger act={act.rollback} close={close}>
          {text(t.rollbackText(p.previous?.version ?? 0, p.version), [
            <Moment key="at" at={p.previous?.replaced_at} />,
          ])}
        </Confirm>
      );
  }
}

/** The calls behind the actions; after each what they change is asked again. */
function useAct({ name }: Projection) {
  const client = useQueryClient();
  const params = { path: { name } };
  const after = async (call: Promise<{ error?: unknown; response: Response }>) => {
    await done(call);
    await Promise.all(['projections', 'builds'].map((key) => client.invalidateQueries({ queryKey: [key] })));
  };
  return {
    pause: () => after(api.POST('/api/ops/projections/{name}/pause/', { params })),
    resume: () => after(api.POST('/api/ops/projections/{name}/resume/', { params })),
    rollback: () => after(api.POST('/api/ops/projections/{name}/rollback/', { params })),
    build: (body: NewBuild) => after(api.POST('/api/ops/projections/{name}/builds/', { params, body })),
  };
}

function Rebuild({ projection: p, close }: Question) {
  const act = useAct(p);
  const form = useForm({ defaultValues: { swap: false } });
  const swap = form.watch('swap');
  return (
    <Confirm
      title={actionTexts.rebuildTitle(p.name)}
      button={actionTexts.rebuild}
      act={() => act.build({ kind: 'rebuild', auto_swap: swap })}
      close={close}
    >
      <p>
        <Rich text={actionTexts.rebuildText(count(p.head))} />
      </p>
      <Checkbox label={actionTexts.autoSwap} {...form.register('swap')} />
      <p>{swap ? actionTexts.autoSwapOn : actionTexts.autoSwapOff}</p>
    </Confirm>
  );
}

type Place = { by: 'time' | 'position'; time: string; position: string; schema: string };

/** The build that a form asks for; undefined until its place is there. */
function asOf({ by, time, position, schema }: Place): NewBuild | undefined {
  const named = schema.trim() ? { schema: schema.trim() } : {};
  if (by === 'position')
    return Number(position) > 0 ? { kind: 'as-of', ...named, position: Number(position) } : undefined;
  return time === '' ? undefined : { kind: 'as-of', ...named, time: new Date(time).toISOString() };
}

function AsOf({ projection: p, close }: Question) {
  const t = actionTexts;
  const act = useAct(p);
  const form = useForm<Place>({ defaultValues: { by: 'time', time: '', position: '', schema: '' } });
  const asked = form.watch();
  const build = asOf(asked);
  return (
    <Confirm
      title={t.asOfTitle(p.name)}
      button={t.build}
      disabled={!build}
      act={async () => build && act.build(build)}
      close={close}
    >
      <p>{t.asOfText}</p>
      <Choices>
        <Choice label={t.atTime} value="time" {...form.register('by')} />
        <Choice label={t.atPosition} value="position" {...form.register('by')} />
      </Choices>
      {asked.by === 'time' ? (
        <FormField form={form} name="time" label={t.time}>
          {(input) => <input {...input} type="datetime-local" step={1} />}
        </FormField>
      ) : (
        <FormField form={form} name="position" label={t.position} hint={t.positionHint(count(p.head))}>
          {(input) => <input {...input} type="number" inputMode="numeric" min={1} max={p.head} />}
        </FormField>
      )}
      <FormField form={form} name="schema" label={t.schema} hint={t.schemaHint}>
        {(input) => <input {...input} autoCapitalize="off" spellCheck={false} />}
      </FormField>
    </Confirm>
  );
}
