import { useQuery } from '@tanstack/react-query';
import { answer } from '../../../kit/api/answer';
import { api } from '../../api/client';
import d from '../desk/desk.module.css';
import s from './products.module.css';
import { editorTexts as w } from './texts/ru';

/** Says which names of a composition the shop does not know, and puts the name that was meant in their place. */
export function UnknownNames({
  composition,
  product,
  change,
}: {
  composition: string;
  product: string;
  change: (next: string) => void;
}) {
  const { data } = useQuery({
    queryKey: ['composition', product, composition],
    queryFn: ({ signal }) =>
      answer(api.POST('/api/staff/products/composition/', { body: { composition, product }, signal })),
    enabled: composition.trim() !== '',
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    retry: false,
  });
  const doubts = data?.results ?? [];
  return (
    <div role="status">
      {doubts.length > 0 ? (
        <>
          <p className={d.quiet}>{w.unknownNames}</p>
          <ul className={s.doubts}>
            {doubts.map(({ name, near }) => (
              <li key={name}>
                {name}
                {near.map((meant) => (
                  <button
                    key={meant}
                    type="button"
                    aria-label={w.replaceName(name, meant)}
                    onClick={() => change(composition.replace(name, meant))}
                  >
                    {meant}
                  </button>
                ))}
              </li>
            ))}
          </ul>
        </>
      ) : null}
    </div>
  );
}
