import { useInfiniteQuery } from '@tanstack/react-query';
import { Button } from '../../../kit/design/button';
import type { Product, Review } from '../../api/types';
import { LoadError } from '../../design/state';
import { productTexts } from '../../texts/product';
import { ReviewList, type Seen } from './review-list';
import { type ReviewOrder, reviewQueries } from './review-queries';
import s from './reviews.module.css';

const t = productTexts;

/** All reviews of a product, a page at a time. The newest are there already; they begin the list. */
export default function MoreReviews({
  product,
  order,
  see,
}: {
  product: Product;
  order: ReviewOrder;
  see: (photo: Seen) => void;
}) {
  const known = order === 'new' ? product.reviews : [];
  const pages = useInfiniteQuery(reviewQueries.ofProduct(product.id, order, known.length));
  const fetched = pages.data?.pages.flatMap(({ results }) => results);
  // Until the answer is there, what was shown before stays.
  const reviews = fetched ? unique([...known, ...fetched]) : product.reviews;
  const photos = reviews.some((review) => review.images.length > 0);
  return (
    <div>
      {order === 'with_photo' && fetched && !photos ? <p className={s.none}>{t.noPhotoReviews}</p> : null}
      <ReviewList reviews={reviews} see={see} />
      {pages.isError ? (
        <LoadError retry={() => (fetched ? pages.fetchNextPage() : pages.refetch())} />
      ) : pages.isFetching || pages.hasNextPage ? (
        <Button kind="soft" aria-disabled={pages.isFetching} onClick={() => pages.fetchNextPage()}>
          {t.moreReviews}
        </Button>
      ) : null}
    </div>
  );
}

/** A review written meanwhile moves the pages on, so that one may come twice. */
const unique = (reviews: Review[]): Review[] => [
  ...new Map(reviews.map((review) => [review.id, review])).values(),
];
