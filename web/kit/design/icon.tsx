const shapes = {
  bag: 'M5 8h14l-1 12H6L5 8Zm4 0V7a3 3 0 0 1 6 0v1',
  user: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8Zm-8 8c.8-3.6 4-5 8-5s7.2 1.4 8 5',
  search: 'm20 20-4.2-4.2M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14Z',
  menu: 'M4 7h16M4 12h16M4 17h10',
  close: 'm6 6 12 12M18 6 6 18',
  minus: 'M6 12h12',
  plus: 'M12 6v12M6 12h12',
  left: 'M19 12H5m6-6-6 6 6 6',
  right: 'M5 12h14m-6-6 6 6-6 6',
  leaf: 'M5 19C4 10 10 4 20 4c.5 10-5 16-13 15.5M5 21c1-5 4-8.5 9-11',
  rabbit:
    'M9 11C7 8 6 4 7.5 3S11 6 11.5 9.5M12 9.5C13 6 15 3 16.5 4s.5 4.5-2 7.5M7 16a5 5.5 0 0 1 10 0c0 3-2 5-5 5s-5-2-5-5Zm3-1v.1m4-.1v.1',
  document: 'M7 3h7l4 4v14H7V3Zm7 0v4h4M10 12h5M10 16h5',
  truck:
    'M3 6h11v10H3V6Zm11 4h4l3 3v3h-7M7 19a2 2 0 1 0 0-4 2 2 0 0 0 0 4Zm10 0a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z',
  trash: 'M5 7h14M10 7V5h4v2m-7 0 1 13h8l1-13',
  check: 'm5 13 4.5 4.5L19 7',
  pause: 'M9 6v12m6-12v12',
  play: 'M8 5.5v13l11-6.5L8 5.5Z',
  alert: 'M12 8v5m0 3.5v.1M12 3 2.5 20h19L12 3Z',
} as const;

export type IconName = keyof typeof shapes;

/** A drawn icon. It is never the only carrier of meaning: the control around it has a name. */
export function Icon({ name, size = 24 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={size < 24 ? 2 : 1.6}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={shapes[name]} />
    </svg>
  );
}
