import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { Button, IconButton } from '../../../kit/design/button';
import { Dialog } from '../../../kit/design/dialog';
import { Icon } from '../../../kit/design/icon';
import { Link } from '../../../kit/design/link';
import { useNavigate } from '../../../kit/router/router';
import type { ProductCard } from '../../api/types';
import { Picture } from '../../design/picture';
import { saidIn } from '../../design/said-in';
import { useDebounced } from '../../design/use-debounced';
import { productTexts } from '../../texts/product';
import { searchTexts } from '../../texts/search';
import { basket, useBasketLine } from '../basket/basket-store';
import s from './search-dialog.module.css';
import { searchQueries } from './search-queries';

const t = searchTexts;

/** Milliseconds that the text stands still before it is completed. */
const pause = 200;

const kindNames = () => ({ query: '', brand: t.brand, category: t.category, product: t.product });

/** The search form and, under it, how the words may go on, then what was found. A failed search is silent: the form stays ready. */
export default function SearchDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const [text, setText] = useState('');
  const [asked, setAsked] = useState('');
  const input = useRef<HTMLInputElement>(null);
  const [need, setNeed] = useState('');
  const found = useQuery({ ...searchQueries.found(asked, need), enabled: open && asked !== '' });
  const typed = useDebounced(text.trim(), pause);
  const typing = text.trim() !== asked;
  const suggested = useQuery({
    ...searchQueries.suggestions(typed),
    enabled: open && typing && typed !== '',
  });
  const suggestions = typing && text.trim() ? (suggested.data?.results ?? []) : [];
  useEffect(() => {
    if (open) input.current?.focus();
  }, [open]);
  // A need that was chosen stays to be taken back, though all that is left answers it.
  const needs = (found.data?.needs ?? []).filter(({ name }) => need === '' || name === need);
  const ask = (words: string) => {
    setText(words);
    setNeed('');
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
          <IconButton icon="close" label={t.close} data-close="" />
        </form>
        <div className={s.results} aria-busy={found.isFetching}>
          {suggestions.length > 0 ? (
            <ul className={s.suggestions} aria-label={t.suggestions}>
              {suggestions.map(({ kind, text, link, lang = 'ru' }) => (
                <li key={`${kind} ${text}`}>
                  {link ? (
                    <Link to={link} onClick={onClose}>
                      <span lang={lang}>{text}</span>
                      <small>{kindNames()[kind]}</small>
                    </Link>
                  ) : (
                    <button type="button" lang={lang} onClick={() => ask(text)}>
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
              {needs.length > 0 ? (
                <ul className={s.needs} aria-label={t.needs}>
                  {needs.map(({ name, title, title_kk, count }) => (
                    <li key={name}>
                      <button
                        type="button"
                        aria-pressed={name === need}
                        onClick={() => setNeed(name === need ? '' : name)}
                      >
                        {t.need(title, title_kk)} {name === need ? '' : count}
                      </button>
                    </li>
                  ))}
                </ul>
              ) : null}
              <ul className={s.list} aria-label={t.results}>
                {found.data.results.map((product) => (
                  <Found
                    key={product.id}
                    product={product}
                    marks={found.data.marks ?? []}
                    onLeave={onClose}
                  />
                ))}
              </ul>
              {found.data.near?.length ? (
                <>
                  <p className={s.found}>{t.near}</p>
                  <ul className={s.suggestions} aria-label={t.near}>
                    {found.data.near.map(({ text, link, lang = 'ru' }) => (
                      <li key={text}>
                        <Link to={link ?? '/categories'} lang={lang} onClick={onClose}>
                          {text}
                        </Link>
                      </li>
                    ))}
                  </ul>
                </>
              ) : null}
            </>
          ) : null}
        </div>
      </div>
    </Dialog>
  );
}

/** A name with the words in it that were asked for. */
function Marked({ name, marks }: { name: string; marks: string[] }) {
  return name.split(/([\p{L}\p{N}]+)/u).map((part, at) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a name keep their places
    marks.includes(part) ? <mark key={at}>{part}</mark> : part,
  );
}

function Found({ product, marks, onLeave }: { product: ProductCard; marks: string[]; onLeave: () => void }) {
  const there = useBasketLine(product.id) !== undefined;
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
      <Link
        className={s.name}
        to={`/product/${product.link}`}
        lang={saidIn(product, 'name')}
        onClick={onLeave}
      >
        <Marked name={product.name} marks={marks} />
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
