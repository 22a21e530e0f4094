import { formatDate } from '../../design/format';
import { newsTexts } from '../../texts/news';
import s from './published.module.css';

/** When a post appeared. */
export function Published({ at }: { at: string }) {
  return (
    <p className={s.published}>
      {newsTexts.published} <time dateTime={at}>{formatDate(at)}</time>
    </p>
  );
}
