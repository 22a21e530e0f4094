import packages from './packages.svg';
import s from './picture.module.css';

const kinds = new Set([
  'dropper',
  'jar',
  'pump',
  'bottle',
  'tube',
  'tin',
  'soap',
  'deodorant',
  'canister',
  'oil',
  'candle',
  'spray',
  'box',
]);

/** A drawn package in place of a missing photograph; an unknown kind gets a general one. */
export function Placeholder({ kind }: { kind: string }) {
  return (
    <svg className={s.drawing} aria-hidden="true" focusable="false">
      <use href={`${packages}#${kinds.has(kind) ? kind : 'general'}`} />
    </svg>
  );
}
