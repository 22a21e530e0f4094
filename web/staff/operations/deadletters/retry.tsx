import { zodResolver } from '@hookform/resolvers/zod';
import { useQueryClient } from '@tanstack/react-query';
import { useForm } from 'react-hook-form';
import * as z from 'zod/mini';
import { done } from '../../../kit/api/answer';
import { FormField } from '../../../kit/form/form-field';
import { Rich } from '../../../kit/texts/rich';
import { api } from '../../api/client';
import { Confirm } from '../../parts/parts';
import { countTexts } from '../../texts/ru';
import type { DeadLetter } from '../api/types';
import { letterTexts } from '../texts/ru';

const schema = z.object({ reason: z.string().check(z.trim()) });

const useReason = () => useForm({ resolver: zodResolver(schema), defaultValues: { reason: '' } });

/** What was done with dead letters changes every list of them. */
function useAfter() {
  const client = useQueryClient();
  return async (call: Promise<{ error?: unknown; response: Response }>) => {
    await done(call);
    await client.invalidateQueries({ queryKey: ['deadletters'] });
  };
}

/** Asks before streams are tried again; no streams are all of them. */
export function Retry({
  projection,
  letters,
  streams,
  close,
}: {
  projection: string;
  letters: DeadLetter[];
  streams: string[];
  close: () => void;
}) {
  const form = useReason();
  const after = useAfter();
  const reason = form.watch('reason').trim();
  const all = streams.length === 0;
  const events = letters.filter(({ stream }) => all || streams.includes(stream)).length;
  return (
    <Confirm
      title={all ? letterTexts.retryAllTitle(projection) : letterTexts.retryTitle(streams.join(', '))}
      button={letterTexts.retry}
      close={close}
      act={() =>
        after(
          api.POST('/api/ops/deadletters/{projection}/retry/', {
            params: { path: { projection } },
            body: { ...(all ? {} : { streams }), ...(reason ? { reason } : {}) },
          }),
        )
      }
    >
      <p>{letterTexts.retryText(countTexts.events(events), all, projection)}</p>
      <FormField form={form} name="reason" label={letterTexts.reasonOptional}>
        {(input) => <input {...input} aria-required={false} />}
      </FormField>
    </Confirm>
  );
}

/** Asks for the reason before an event is left out for good. */
export function Skip({ letter, close }: { letter: DeadLetter; close: () => void }) {
  const { projection, position, stream, type } = letter;
  const form = useReason();
  const after = useAfter();
  const reason = form.watch('reason').trim();
  return (
    <Confirm
      title={letterTexts.skipTitle(position)}
      button={letterTexts.skipButton}
      danger
      disabled={reason === ''}
      close={close}
      act={() =>
        after(
          api.POST('/api/ops/deadletters/{projection}/{position}/skip/', {
            params: { path: { projection, position } },
            body: { reason },
          }),
        )
      }
    >
      <p>
        <Rich text={letterTexts.skipText(type, projection, stream)} />
      </p>
      <FormField form={form} name="reason" label={letterTexts.reason}>
        {(input) => <textarea {...input} rows={3} />}
      </FormField>
    </Confirm>
  );
}
