/** The document's title and description; React moves them into the head. */
export function Title({ text, description }: { text: string; description?: string }) {
  return (
    <>
      <title>{text}</title>
      {description ? <meta name="description" content={description} /> : null}
    </>
  );
}
