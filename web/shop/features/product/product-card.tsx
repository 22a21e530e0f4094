import { useRef } from 'react';
import { Link } from '../../../kit/design/link';
import type { ProductCard as Card } from '../../api/types';
import { Hidden } from '../../design/layout';
import { Price } from '../../design/money';
import { Picture } from '../../design/picture';
import { Rating } from '../../design/rating';
import { saidIn } from '../../design/said-in';
import { Skeleton } from '../../design/state';
import { productTexts } from '../../texts/product';
import { AddToBasket } from './add-to-basket';
import s from './product-card.module.css';

const inList = '(width >= 75em) 316px, (width >= 57.5em) 31vw, 40vw';

/** A product in a list: one link over the whole card, and the basket button above it. */
export function ProductCard({ product, eager = false }: { product: Card; eager?: boolean }) {
  const picture = useRef<HTMLSpanElement>(null);
  const sale = product.total_discount > 0;
  return (
    <article className={s.card} data-out={product.in_stock ? undefined : ''}>
      <Picture
        ref={picture}
        picture={product.picture}
        src={product.main_image}
        kind={product.category?.placeholder}
        alt=""
        sizes={inList}
        eager={eager}
      />
      {sale ? <span className={s.badge}>−{product.total_discount} %</span> : null}
      <div className={s.body}>
        <p className={s.brand} lang={saidIn(product, 'package_size')}>
          {[product.brand?.name, product.package_size].filter(Boolean).join(', ')}
        </p>
        <h3 className={s.name} lang={saidIn(product, 'name')}>
          <Link to={`/product/${product.link}`}>{product.name}</Link>
        </h3>
        <p className={s.about} lang={saidIn(product, 'description')}>
          {product.description}
        </p>
        <Rating value={product.rating}>
          {product.in_stock && product.reviews_count > 0 ? (
            <span>
              {product.reviews_count}
              <Hidden> {productTexts.reviewsWord(product.reviews_count)}</Hidden>
            </span>
          ) : null}
        </Rating>
        <div className={s.buy}>
          <Price
            price={product.price}
            discounted={product.discounted_price}
            until={product.price_ends_at}
            sign="тг"
          />
          <AddToBasket product={product} picture={() => picture.current} />
        </div>
      </div>
    </article>
  );
}

/** A card's place while the list loads. */
export function ProductCardSkeleton() {
  return (
    <div className={s.card} aria-hidden="true">
      <div className={s.frame}>
        <Skeleton kind="fill" />
      </div>
      <div className={s.body}>
        <Skeleton width={40} />
        <Skeleton />
        <Skeleton width={70} />
        <Skeleton width={40} />
        <Skeleton kind="button" />
      </div>
    </div>
  );
}
