import { useState } from 'react';
import { Button } from '../../../kit/design/button';
import { onDemand } from '../../../kit/design/on-demand';
import type { Product } from '../../api/types';
import { formatRating } from '../../design/format';
import { Rating } from '../../design/rating';
import { productTexts } from '../../texts/product';
import { ReviewList, type Seen } from './review-list';
import type { ReviewOrder } from './review-queries';
import s from './reviews.module.css';

const t = productTexts;

const MoreReviews = onDemand(() => import('./more-reviews'));
const PhotoViewer = onDemand(() => import('./photo-viewer'));
const ReviewDialog = onDemand(() => import('./review-dialog'));

/** What buyers say, with the shop's replies, and the way to say something oneself. */
export function Reviews({ product }: { product: Product }) {
  const [order, setOrder] = useState<ReviewOrder>('new');
  // The page brings the newest reviews along; all others are asked for on request.
  const [all, setAll] = useState(false);
  const [writing, setWriting] = useState<boolean>();
  // Kept here: a list gives way to another when it comes, and what one looks at stays.
  const [seen, see] = useState<Seen>();
  const brought = <ReviewList reviews={product.reviews} see={see} />;
  const orders = [
    { order: 'new', text: t.sortNew },
    { order: 'with_photo', text: t.sortPhoto },
  ] as const;
  return (
    <div className={s.reviews}>
      <div className={s.score}>
        <h2 id="reviews-title">{t.reviews}</h2>
        {product.reviews_count > 0 ? (
          <>
            <p className={s.mean}>
              <b>{formatRating(product.rating)}</b>
              <span>
                <Rating value={product.rating} />
                <span>
                  {product.reviews_count} {t.reviewsWord(product.reviews_count)}
                </span>
              </span>
            </p>
            <fieldset className={s.sort} aria-label={t.sortReviews}>
              {orders.map((one) => (
                <button
                  key={one.order}
                  type="button"
                  aria-pressed={order === one.order}
                  onClick={() => setOrder(one.order)}
                >
                  {one.text}
                </button>
              ))}
            </fieldset>
          </>
        ) : null}
        <Button kind="line" aria-haspopup="dialog" onClick={() => setWriting(true)}>
          {t.writeReview}
        </Button>
      </div>
      {product.reviews_count === 0 ? (
        <p className={s.none}>{t.noReviews}</p>
      ) : all || order === 'with_photo' ? (
        <MoreReviews key={order} product={product} order={order} see={see} until={brought} />
      ) : (
        <div>
          {brought}
          {product.reviews_count > product.reviews.length ? (
            <Button kind="soft" onClick={() => setAll(true)}>
              {t.moreReviews}
            </Button>
          ) : null}
        </div>
      )}
      {seen ? <PhotoViewer {...seen} onClose={() => see(undefined)} /> : null}
      {writing === undefined ? null : (
        <ReviewDialog product={product} open={writing} onClose={() => setWriting(false)} />
      )}
    </div>
  );
}
