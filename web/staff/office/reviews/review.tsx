import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { Dialog } from '../../../kit/design/dialog';
import { Link } from '../../../kit/design/link';
import t from '../../../kit/table/table.module.css';
import { words } from '../../api/client';
import { useMay } from '../../me';
import f from '../../parts/field.module.css';
import { Mark, type Tone } from '../../parts/mark';
import { Action, Confirm, Moment } from '../../parts/parts';
import { Now, useThen } from '../desk/as-of';
import d from '../desk/desk.module.css';
import { WithReason } from '../desk/reason';
import {
  answerReview,
  filled,
  hideReview,
  photo,
  type ReviewRow,
  type ReviewState,
  removePhotos,
  reviewQueries,
  showReview,
} from './queries';
import s from './reviews.module.css';
import { reviewTexts as w } from './texts/ru';

const tones: Record<ReviewState, Tone> = { pending: 'busy', shown: 'good', hidden: 'rest' };

/** A review with what may be done about it. */
export function ReviewCard({ review }: { review: ReviewRow }) {
  const client = useQueryClient();
  const mayOrders = useMay('orders.see');
  const mayCustomers = useMay('customers.see');
  const [asking, setAsking] = useState<'answer' | 'hide' | 'photos'>();
  const then = useThen();
  const [failed, setFailed] = useState('');
  const renew = () => client.invalidateQueries({ queryKey: ['office'] });
  const close = () => setAsking(undefined);
  const show = async () => {
    setFailed('');
    try {
      await showReview(review.id);
      await renew();
    } catch (error) {
      setFailed(words(error));
    }
  };
  return (
    <article className={s.review} aria-label={w.of(review.author, review.product)}>
      <div className={s.head}>
        <b>{w.stars(review.rating)}</b>
        <Mark tone={tones[review.state]}>{w.states[review.state]}</Mark>
        <Moment at={review.created_at} />
      </div>
      <p className={s.head}>
        {mayCustomers && review.customer_id ? (
          <Link className={t.link} to={then(`/admin/customers/${review.customer_id}`)}>
            {review.author}
          </Link>
        ) : (
          <span>{review.author}</span>
        )}
        <span>
          {review.link ? <Link to={`/product/${review.link}`}>{review.product}</Link> : review.product} (
          {review.article})
        </span>
        {mayOrders && review.number ? (
          <Link className={t.link} to={then(`/admin/orders/${review.number}`)}>
            {w.order(review.number)}
          </Link>
        ) : null}
      </p>
      <p className={d.text}>{review.content || w.noText}</p>
      <Photos review={review} />
      {review.reason ? <p className={d.quiet}>{w.hiddenWhy(review.reason)}</p> : null}
      {review.reply ? (
        <div className={s.reply}>
          <b>{w.reply}</b>
          <p className={d.text}>{review.reply}</p>
        </div>
      ) : null}
      <Now>
        <div className={d.actions}>
          <Action kind={review.reply ? 'soft' : 'strong'} onClick={() => setAsking('answer')}>
            {review.reply ? w.change : w.answer}
          </Action>
          {review.state === 'shown' ? null : <Action onClick={show}>{w.show}</Action>}
          {review.state === 'hidden' ? null : <Action onClick={() => setAsking('hide')}>{w.hide}</Action>}
          {review.pictures.length > 0 ? (
            <Action kind="danger" onClick={() => setAsking('photos')}>
              {w.removePhotos}
            </Action>
          ) : null}
        </div>
      </Now>
      <p role="alert" className={d.failed}>
        {failed}
      </p>
      {asking === 'answer' ? <Answer review={review} close={close} /> : null}
      {asking === 'hide' ? (
        <WithReason
          title={w.hideTitle}
          label={w.reason}
          button={w.hide}
          act={async (reason) => {
            await hideReview(review.id, reason);
            await renew();
          }}
          close={close}
        >
          <p>{w.hideWhy}</p>
        </WithReason>
      ) : null}
      {asking === 'photos' ? (
        <Confirm
          title={w.photosTitle}
          button={w.removePhotos}
          danger
          act={async () => {
            await removePhotos(review.id);
            await renew();
          }}
          close={close}
        >
          <p>{w.photosWhy}</p>
        </Confirm>
      ) : null}
    </article>
  );
}

/** The photos of a review; a press shows one large. */
function Photos({ review }: { review: ReviewRow }) {
  const id = useId();
  const [large, setLarge] = useState<string>();
  if (review.pictures.length === 0) return null;
  return (
    <>
      <ul className={s.photos} aria-label={w.photos}>
        {review.pictures.map((name, at) => (
          <li key={name}>
            <button type="button" onClick={() => setLarge(name)} aria-label={w.enlarge(at + 1)}>
              <img src={photo(name)} alt="" loading="lazy" />
            </button>
          </li>
        ))}
      </ul>
      {large ? (
        <Dialog open onClose={() => setLarge(undefined)} labelledBy={id}>
          <h2 id={id}>{w.of(review.author, review.product)}</h2>
          <img className={s.large} src={photo(large)} alt={w.photoOf(review.author)} />
          <Action onClick={() => setLarge(undefined)}>{w.close}</Action>
        </Dialog>
      ) : null}
    </>
  );
}

/** Writes the shop's reply, from a template if one fits. */
function Answer({ review, close }: { review: ReviewRow; close: () => void }) {
  const client = useQueryClient();
  const templates = useQuery(reviewQueries.templates()).data?.templates ?? [];
  const [text, setText] = useState(review.reply);
  return (
    <Confirm
      title={w.answerTitle(review.author)}
      button={text.trim() ? w.send : w.takeAway}
      disabled={!text.trim() && !review.reply}
      act={async () => {
        await answerReview(review.id, text.trim());
        await client.invalidateQueries({ queryKey: ['office'] });
      }}
      close={close}
    >
      <p>{w.answerWhy}</p>
      {templates.length > 0 ? (
        <label className={f.field}>
          {w.template}
          <select
            value=""
            onChange={({ target }) => {
              const chosen = templates.find(({ name }) => name === target.value);
              if (chosen) setText(filled(chosen.text, review));
            }}
          >
            <option value="">{w.choose}</option>
            {templates.map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
      ) : null}
      <label className={f.field}>
        {w.reply}
        <textarea rows={5} maxLength={5000} value={text} onChange={({ target }) => setText(target.value)} />
      </label>
    </Confirm>
  );
}
