import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { Button, IconButton } from '../../../kit/design/button';
import { Dialog } from '../../../kit/design/dialog';
import { Icon } from '../../../kit/design/icon';
import { Link } from '../../../kit/design/link';
import type { ProductCard } from '../../api/types';
import { Picture } from '../../design/picture';
import { useDebounced } from '../../design/use-debounced';
import { productTexts } from '../../texts/product';
import { searchTexts } from '../../texts/search';
import { basket, useBasket } from '../basket/basket-store';
import { productQueries } from '../product/product-queries';
import s from './search-dialog.module.css';

const t = searchTexts;

/** Milliseconds that the text stands still before it is completed. */
const pause = 200;

const kindNames = () => ({ query: '', brand: t.brand, category: t.category, product: t.product });

/** The search form and, under it, how the words may go on, then what was found. A failed search is silent: the form stays ready. */
export default function SearchDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const [text, setText] = useState('');
  const [asked, setAsked] = useState('');
  const input = useRef<HTMLInputElement>(null);
  const found = useQuery({ ...productQueries.search(asked), enabled: open && asked !== '' });
  const typed = useDebounced(text.trim(), pause);
  const typing = text.trim() !== asked;
  const suggested = useQuery({
    ...productQueries.suggestions(typed),
    enabled: open && typing && typed !== '',
  });
  const suggestions = typing && text.trim() ? (suggested.data?.results ?? []) : [];
  useEffect(() => {
    if (open) input.current?.focus();
  }, [open]);
  const ask = (words: string) => {
    setText(words);
    setAsked(words);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim()) ask(text.trim());
  };
  return (
    <Dialog open={open} onClose={onClose} label={t.label} place="top">
      <div className={s.panel}>
        {/* biome-ignore lint/a11y/useSemanticElements: the search element is younger than the browsers we serve */}
        <form role="search" className={s.form} onSubmit={submit}>
          <input
            ref={input}
            className={s.input}
            type="search"
            name="search"
            aria-label={t.label}
            placeholder={t.placeholder}
            autoComplete="off"
            enterKeyHint="search"
            maxLength={200}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
          <Button type="submit">{t.submit}</Button>
          <IconButton icon="close" label={t.close} onClick={onClose} />
        </form>
        <div className={s.results} aria-busy={found.isFetching}>
          {suggestions.length > 0 ? (
            <ul className={s.suggestions} aria-label={t.suggestions}>
              {suggestions.map(({ kind, text, link }) => (
                <li key={`${kind} ${text}`}>
                  {link ? (
                    <Link to={link} onClick={onClose}>
                      <span lang="ru">{text}</span>
                      <small>{kindNames()[kind]}</small>
                    </Link>
                  ) : (
                    <button type="button" lang="ru" onClick={() => ask(text)}>
                      {text}
                    </button>
                  )}
                </li>
              ))}
            </ul>
          ) : null}
          {found.data && suggestions.length === 0 ? (
            <>
              <p className={s.found} role="status">
                {found.data.count > 0 ? t.found(found.data.count) : t.nothing}
                {found.data.corrected ? `. ${t.corrected(found.data.corrected)}` : ''}
              </p>
              <ul className={s.list} aria-label={t.results}>
                {found.data.results.map((product) => (
                  <Found key={product.id} product={product} onLeave={onClose} />
                ))}
              </ul>
            </>
          ) : null}
        </div>
      </div>
    </Dialog>
  );
}

function Found({ product, onLeave }: { product: ProductCard; onLeave: () => void }) {
  const there = useBasket().some((line) => line.id === product.id);
  const navigate = useNavigate();
  const go = () => {
    onLeave();
    navigate('/basket');
  };
  return (
    <li className={s.item}>
      <Picture
        className={s.picture}
        picture={product.picture}
        src={product.main_image}
        kind={product.category?.placeholder}
        alt=""
        sizes="72px"
      />
      <Link className={s.name} to={`/product/${product.link}`} lang="ru" onClick={onLeave}>
        {product.name}
      </Link>
      {product.in_stock ? (
        <Button
          kind="soft"
          aria-label={`${there ? t.inBasket : t.add}: ${product.name}`}
          onClick={() => (there ? go() : basket.add(product))}
        >
          {there ? <Icon name="check" size={20} /> : null}
          {there ? t.inBasket : t.add}
        </Button>
      ) : (
        <span className={s.out}>{productTexts.unavailable}</span>
      )}
    </li>
  );
}
