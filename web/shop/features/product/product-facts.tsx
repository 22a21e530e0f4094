import { useId } from 'react';
import type { Mark, Product } from '../../api/types';
import { saidIn } from '../../design/said-in';
import { productTexts } from '../../texts/product';
import s from './product-facts.module.css';

/** Certificates and properties; each explains itself in a popover. */
export function Marks({ marks }: { marks: Mark[] }) {
  const id = useId();
  if (marks.length === 0) return null;
  return (
    <ul className={s.marks} aria-label={productTexts.marks}>
      {marks.map((mark) => (
        <li key={mark.id} lang={saidIn(mark, 'name')}>
          <button type="button" className={s.mark} popoverTarget={`${id}-${mark.id}`}>
            {mark.image ? <img src={mark.image} alt="" width="20" height="20" loading="lazy" /> : null}
            {mark.name}
          </button>
          <div
            id={`${id}-${mark.id}`}
            popover="auto"
            className={s.explanation}
            lang={mark.russian && saidIn(mark, 'description')}
          >
            {mark.description}
          </div>
        </li>
      ))}
    </ul>
  );
}

/** What the maker says, in sections that open; an empty text has no section. */
export function ProductSections({ product }: { product: Product }) {
  const sections = [
    { title: productTexts.about, text: product.description, of: 'description' },
    { title: productTexts.composition, text: product.composition, of: 'composition' },
    { title: productTexts.expires, text: product.expires, of: 'expires' },
    { title: productTexts.applyMethod, text: product.apply_method, of: 'apply_method' },
  ].filter((section) => section.text !== '');
  return (
    <div>
      {sections.map((section, at) => (
        <details key={section.title} className={s.section} open={at === 0}>
          <summary>{section.title}</summary>
          <p lang={section.of === 'composition' ? 'ru' : saidIn(product, section.of)}>{section.text}</p>
        </details>
      ))}
    </div>
  );
}
