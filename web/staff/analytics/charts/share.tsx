import s from './share.module.css';

/** How much of a whole something is, from 0 to 1, as a bar. Its number stands beside it. */
export function Share({ of }: { of: number }) {
  const filled = (Math.min(1, Math.max(0, of)) * 100).toFixed(2);
  return (
    <svg className={s.share} viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
      <path className={s.track} d="M0 0h100v10H0z" />
      <path className={s.fill} d={`M0 0h${filled}v10H0z`} />
    </svg>
  );
}
