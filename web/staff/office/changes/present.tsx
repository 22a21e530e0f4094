import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { answer } from '../../../kit/api/answer';
import { api } from '../../api/client';
import type { components } from '../../api/schema';
import s from './changes.module.css';
import { changeTexts as w } from './texts/ru';

type Thing = components['schemas']['OpenThing'];

/** How often a page says that it is still open, in milliseconds; the server waits for three times as long. */
const every = 15_000;

/** Who else has a thing open, and who is changing it. While it is drawn, others see the same of this page. */
export function Present({ thing, id, editing }: { thing: Thing; id: string; editing: boolean }) {
  const { data } = useQuery({
    queryKey: ['present', thing, id, editing],
    queryFn: ({ signal }) =>
      answer(api.POST('/api/staff/presence/', { body: { thing, id, editing }, signal })),
    refetchInterval: every,
    gcTime: 0,
    retry: false,
  });
  useEffect(
    () => () => {
      // Nobody waits for the answer; a page that dies without a word is forgotten by itself.
      void api
        .DELETE('/api/staff/presence/', { params: { query: { thing, id } }, keepalive: true })
        .catch(() => {});
    },
    [thing, id],
  );
  const others = data?.results ?? [];
  return (
    <p role="status" className={others.length > 0 ? s.present : undefined}>
      {others.length > 0
        ? w.present(others.map(({ email, editing }) => (editing ? w.edits(email) : email)).join(', '))
        : null}
    </p>
  );
}
