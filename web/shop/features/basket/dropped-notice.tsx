import { langOf, serverMessage } from '../../../kit/design/message';
import { saidIn } from '../../design/said-in';
import { basketTexts } from '../../texts/basket';
import type { Dropped } from './basket-queries';
import s from './dropped-notice.module.css';

/** Names what the server took out of the basket, so that nothing vanishes silently. */
export function DroppedNotice({ dropped }: { dropped: Dropped[] }) {
  return (
    <div className={s.notice} role="status">
      {dropped.map((line) => (
        <p key={line.id}>
          <span lang={saidIn(line, 'name')}>{line.name}:</span>{' '}
          <span lang={langOf(serverMessage(line.reason))}>{line.reason}.</span> {basketTexts.dropped}
        </p>
      ))}
    </div>
  );
}
