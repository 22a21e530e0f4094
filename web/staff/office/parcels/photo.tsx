import { useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { Problem } from '../../../kit/api/problem';
import { words } from '../../api/client';
import f from '../../parts/field.module.css';
import { type Parcel, photograph } from './queries';
import { parcelTexts as w } from './texts/ru';

/** As many photos as an order takes. */
const most = 4;

/** Takes a photo of the hand-over with the phone's camera. It is sent at once, so that the delivery itself waits for nothing. */
export function Photo({ order }: { order: Parcel }) {
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [wrong, setWrong] = useState('');
  const id = useId();
  const send = async (file: File) => {
    setBusy(true);
    setWrong('');
    try {
      await photograph(order.number, file);
      await client.invalidateQueries({ queryKey: ['office', 'stops'] });
    } catch (error) {
      setWrong((error instanceof Problem && error.fields.photo) || words(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className={f.field}>
      {order.photos < most ? (
        <>
          <label htmlFor={id}>{w.photo(order.number)}</label>
          <input
            id={id}
            type="file"
            accept="image/jpeg,image/png"
            capture="environment"
            disabled={busy}
            aria-invalid={wrong !== ''}
            aria-describedby={`${id}-said`}
            onChange={({ target }) => {
              const file = target.files?.[0];
              target.value = '';
              if (file) void send(file);
            }}
          />
        </>
      ) : null}
      <p id={`${id}-said`} role="status">
        {wrong || (busy ? w.photoSending : order.photos > 0 ? w.photos(order.photos) : '')}
      </p>
    </div>
  );
}
