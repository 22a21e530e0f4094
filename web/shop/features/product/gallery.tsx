import { type Ref, useState } from 'react';
import type { Product } from '../../api/types';
import { Picture } from '../../design/picture';
import { saidIn } from '../../design/said-in';
import { productTexts } from '../../texts/product';
import s from './gallery.module.css';
import { gallerySizes } from './gallery-sizes';
import { productName } from './product-name';

/** The product's pictures: one large, the others as previews. */
export function Gallery({ product, ref }: { product: Product; ref?: Ref<HTMLSpanElement> }) {
  const [chosen, choose] = useState(0);
  const shown = product.images[chosen] ?? product.images[0];
  const kind = product.category?.placeholder;
  return (
    <div className={s.gallery}>
      <Picture
        ref={ref}
        className={s.main}
        picture={shown ? shown.picture : product.picture}
        src={shown ? shown.image : product.main_image}
        kind={kind}
        alt={productName(product)}
        lang={saidIn(product, 'name')}
        sizes={gallerySizes}
        eager
      />
      {product.images.length > 1 ? (
        <ul className={s.thumbs} aria-label={productTexts.photos}>
          {product.images.map((image, at) => (
            <li key={image.image}>
              <button
                type="button"
                className={s.thumb}
                aria-pressed={at === chosen}
                aria-label={productTexts.photo(at + 1, product.images.length)}
                onClick={() => choose(at)}
              >
                <Picture picture={image.picture} src={image.image} kind={kind} alt="" sizes="84px" />
              </button>
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  );
}
