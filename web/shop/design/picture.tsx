import { type Ref, useState } from 'react';
import { classes } from '../../kit/design/classes';
import { Hidden } from './layout';
import s from './picture.module.css';
import { Placeholder } from './placeholder';

/** One picture in several formats and widths, best first. */
type Variants = {
  src: string;
  width: number;
  height: number;
  sources: { type: string; srcset: string }[];
};

/**
 * A product's photograph in its tinted frame, or, when there is none or it does not load, a drawn package.
 * The frame has its final size from the start.
 */
export function Picture({
  picture,
  src,
  kind = '',
  alt,
  lang = 'ru',
  sizes,
  eager = false,
  className,
  ref,
}: {
  picture: Variants | null;
  /** An address for a plain image when there are no variants. */
  src?: string | null;
  /** Which package is drawn in place of a missing photograph. */
  kind?: string;
  /** Empty when the name stands beside it. */
  alt: string;
  /** Of alt. */
  lang?: string;
  sizes: string;
  /** For the one picture that the first screen waits for. */
  eager?: boolean;
  className?: string;
  ref?: Ref<HTMLSpanElement>;
}) {
  const [broken, setBroken] = useState<string>();
  const address = picture?.src ?? src;
  const drawn = !address || broken === address;
  return (
    <span ref={ref} className={classes(s.frame, className)} data-kind={kind} lang={lang}>
      {drawn ? (
        <>
          <Placeholder kind={kind} />
          {alt ? <Hidden>{alt}</Hidden> : null}
        </>
      ) : (
        <picture>
          {picture?.sources.map((source) => (
            <source key={source.type} type={source.type} srcSet={source.srcset} sizes={sizes} />
          ))}
          <img
            className={s.image}
            src={address}
            width={picture?.width ?? 640}
            height={picture?.height ?? 800}
            alt={alt}
            loading={eager ? 'eager' : 'lazy'}
            decoding={eager ? 'auto' : 'async'}
            fetchPriority={eager ? 'high' : undefined}
            onError={() => setBroken(address)}
          />
        </picture>
      )}
    </span>
  );
}
