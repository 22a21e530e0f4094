/** An address that breaks before its @ where it does not fit on one line. */
export function Email({ of }: { of: string }) {
  const at = of.lastIndexOf('@');
  if (at < 0) return of;
  return (
    <>
      {of.slice(0, at)}
      <wbr />
      {of.slice(at)}
    </>
  );
}
