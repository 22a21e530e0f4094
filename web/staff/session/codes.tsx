import { Button } from '../../kit/design/button';
import { sessionTexts } from '../texts/ru';
import s from './session.module.css';

/** Recovery codes, to be kept. */
export function Codes({ codes }: { codes: string[] }) {
  return (
    <>
      <ul className={s.codes} aria-label={sessionTexts.recoveryCodes}>
        {codes.map((one) => (
          <li key={one}>{one}</li>
        ))}
      </ul>
      <Button kind="soft" onClick={() => navigator.clipboard?.writeText(codes.join('\n'))}>
        {sessionTexts.copyAll}
      </Button>
    </>
  );
}
