import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Field } from '../../src/design/field';
import { post } from '../../staff/api/client';
import { counted } from '../../staff/parts/format';
import { Confirm } from '../../staff/parts/parts';
import type { DeadLetter } from '../api/types';

const after = (projection: string) => `/api/ops/deadletters/${encodeURIComponent(projection)}`;

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
  const client = useQueryClient();
  const [reason, setReason] = useState('');
  const all = streams.length === 0;
  const events = letters.filter(({ stream }) => all || streams.includes(stream)).length;
  return (
    <Confirm
      title={all ? `Retry all of ${projection}?` : `Retry ${streams.join(', ')}?`}
      button="Retry"
      close={close}
      act={async () => {
        await post(`${after(projection)}/retry`, {
          ...(all ? {} : { streams }),
          ...(reason.trim() ? { reason: reason.trim() } : {}),
        });
        await client.invalidateQueries({ queryKey: ['deadletters'] });
      }}
    >
      <p>
        {`${counted(events, 'event')} of ${all ? 'every parked stream' : 'the stream'} will be folded into ${projection} again, in order, by today’s program. What fails again stays here; the other streams are not touched.`}
      </p>
      <Field label="Why (optional)" required={true}>
        {(tied) => (
          <input
            {...tied}
            aria-required={false}
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
        )}
      </Field>
    </Confirm>
  );
}

/** Asks for the reason before an event is left out for good. */
export function Skip({ letter, close }: { letter: DeadLetter; close: () => void }) {
  const client = useQueryClient();
  const [reason, setReason] = useState('');
  return (
    <Confirm
      title={`Skip event ${letter.position}?`}
      button="Skip the event"
      danger
      disabled={reason.trim() === ''}
      close={close}
      act={async () => {
        await post(`${after(letter.projection)}/${letter.position}/skip`, { reason: reason.trim() });
        await client.invalidateQueries({ queryKey: ['deadletters'] });
      }}
    >
      <p>
        <b>{letter.type}</b> stays in the log, but {letter.projection} will never know it: its rows may be
        wrong until a rebuild. The later events of {letter.stream} go on. Your name and reason are recorded.
      </p>
      <Field label="Reason" required>
        {(tied) => (
          <textarea {...tied} rows={3} value={reason} onChange={(event) => setReason(event.target.value)} />
        )}
      </Field>
    </Confirm>
  );
}
