import { useSearchParams } from '../../../kit/router/router';
import { asked } from './as-of';

/** The filters of a list, which stand in the address. A changed filter begins at the first page again, which page says. */
export function useFilters(page = 'offset') {
  const [address, setAddress] = useSearchParams();
  const value = (name: string) => address.get(name) ?? '';
  const narrow = (name: string, to: string) => {
    const next = new URLSearchParams(address);
    if (name !== page) next.delete(page);
    if (to) next.set(name, to);
    else next.delete(name);
    setAddress(next, { replace: name !== page });
    if (name === page) scrollTo(0, 0);
  };
  return {
    value,
    narrow,
    reset: () => setAddress(asked(value('at'))),
    offset: Math.max(0, Number(value('offset')) || 0),
    turn: (to: number) => narrow('offset', to > 0 ? String(to) : ''),
  };
}
