import { useEffect, useRef, useSyncExternalStore } from 'react';
import { classes } from '../kit/design/classes';
import { Link } from '../kit/design/link';
import { useLocation } from '../kit/router/router';
import type { Way } from './frame';
import s from './frame.module.css';
import { frameTexts } from './texts/ru';

/** The width below which the groups are a menu; as --below-m. */
const phone = '(width < 45em)';

const usePhone = () =>
  useSyncExternalStore(
    (changed) => {
      const query = matchMedia(phone);
      query.addEventListener('change', changed);
      return () => query.removeEventListener('change', changed);
    },
    () => matchMedia(phone).matches,
  );

/** Screens under the names of their groups, in the order of the list. */
export function groupsOf(ways: Way[]): { name: string; ways: Way[] }[] {
  const groups = new Map<string, Way[]>();
  for (const way of ways) {
    const name = way.group?.() ?? way.name();
    groups.set(name, [...(groups.get(name) ?? []), way]);
  }
  return [...groups].map(([name, among]) => ({ name, ways: among }));
}

/** The ways that a role has, in groups where they have any; here is the one that is open. */
export function Navigation({ ways, here }: { ways: Way[]; here?: Way | undefined }) {
  const grouped = ways.some(({ group }) => group);
  const narrow = usePhone();
  const { pathname } = useLocation();
  if (grouped && narrow) return <Menu key={pathname} ways={ways} here={here} />;
  if (!grouped) return <Line ways={ways} here={here} />;
  const groups = groupsOf(ways);
  const open = groups.find((group) => group.ways.some(({ to }) => to === here?.to));
  return (
    <>
      <ul>
        {groups.map(({ name, ways: [first, ...others] }) =>
          first ? (
            <li key={name}>
              <Link
                to={first.to}
                className={classes(open?.name === name && s.within)}
                aria-current={others.length === 0 && first.to === here?.to ? 'page' : undefined}
              >
                {others.length === 0 ? first.name() : name}
              </Link>
            </li>
          ) : null,
        )}
      </ul>
      {open && open.ways.length > 1 ? (
        <ul className={s.sublist} aria-label={open.name}>
          {open.ways.map((way) => (
            <Item key={way.to} way={way} here={here} />
          ))}
        </ul>
      ) : null}
    </>
  );
}

const Item = ({ way, here }: { way: Way; here?: Way | undefined }) => (
  <li>
    <Link to={way.to} aria-current={way.to === here?.to ? 'page' : undefined}>
      {way.name()}
      {way.more?.()}
    </Link>
  </li>
);

/** All ways in a line; where many are one that scrolls, the open one is in sight. */
function Line({ ways, here }: { ways: Way[]; here?: Way | undefined }) {
  const line = useRef<HTMLUListElement>(null);
  useEffect(() => {
    const one = line.current?.querySelector<HTMLElement>('[aria-current]')?.parentElement;
    if (line.current && one && here)
      line.current.scrollLeft = one.offsetLeft - (line.current.clientWidth - one.offsetWidth) / 2;
  }, [here]);
  return (
    <ul ref={line} className={classes(ways.length > 5 && s.many)}>
      {ways.map((way) => (
        <Item key={way.to} way={way} here={here} />
      ))}
    </ul>
  );
}

/** On a phone: one button that says where one is, and all groups behind it. */
function Menu({ ways, here }: { ways: Way[]; here?: Way | undefined }) {
  return (
    <details className={s.menu}>
      <summary>
        {frameTexts.menu}
        {here ? <span>{here.name()}</span> : null}
      </summary>
      {groupsOf(ways).map(({ name, ways: among }) => (
        <section key={name} aria-label={name}>
          {among.length > 1 ? <p>{name}</p> : null}
          <ul>
            {among.map((way) => (
              <Item key={way.to} way={way} here={here} />
            ))}
          </ul>
        </section>
      ))}
    </details>
  );
}
