import type { ComponentProps } from 'react';
import s from './button.module.css';
import { classes } from './classes';
import { Icon, type IconName } from './icon';
import { Link, PublicLink } from './link';

/** primary: the one strong action of a screen; soft: everyday; line: an alternative. */
type Kind = 'primary' | 'soft' | 'line';

/** The classes of a button, for an element that is not always one. */
export const buttonLook = (kind: Kind, more?: string) =>
  classes(s.button, kind === 'soft' && s.soft, kind === 'line' && s.line, more);

export function Button({
  kind = 'primary',
  className,
  ...rest
}: { kind?: Kind } & Omit<ComponentProps<'button'>, 'style'>) {
  return <button type="button" className={buttonLook(kind, className)} {...rest} />;
}

export function ButtonLink({
  kind = 'primary',
  className,
  ...rest
}: { kind?: Kind } & ComponentProps<typeof Link>) {
  return <Link className={buttonLook(kind, className)} {...rest} />;
}

/** A ButtonLink to an address that staff published. */
export function PublicButtonLink({
  kind = 'primary',
  className,
  ...rest
}: { kind?: Kind } & ComponentProps<typeof Link>) {
  return <PublicLink className={buttonLook(kind, className)} {...rest} />;
}

/** A button that shows only an icon; the label is its name. */
export function IconButton({
  icon,
  label,
  size,
  className,
  ...rest
}: { icon: IconName; label: string; size?: number } & Omit<ComponentProps<'button'>, 'children'>) {
  return (
    <button type="button" className={classes(s.icon, className)} aria-label={label} {...rest}>
      <Icon name={icon} size={size} />
    </button>
  );
}

/** A link that shows only an icon; the label is its name. */
export function IconLink({
  icon,
  label,
  children,
  ...rest
}: { icon: IconName; label: string } & ComponentProps<typeof Link>) {
  return (
    <Link className={s.icon} aria-label={label} {...rest}>
      <Icon name={icon} />
      {children}
    </Link>
  );
}
