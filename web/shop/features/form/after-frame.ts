import type { FormEvent } from 'react';
import { painted } from '../../../kit/design/painted';

const sending = new WeakSet<EventTarget>();

/**
 * Sends a form after the frame that answers the press: on a slow phone it takes longer than a frame may to check the
 * fields and to draw what is wrong with them. A press that comes before the form is sent is the same one.
 */
export const afterFrame =
  (send: () => unknown) =>
  async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = event.currentTarget;
    if (sending.has(form)) return;
    sending.add(form);
    try {
      await painted();
      await send();
    } finally {
      sending.delete(form);
    }
  };
