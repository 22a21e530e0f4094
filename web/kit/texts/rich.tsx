import { Fragment, type ReactNode } from 'react';

/**
 * A text with marks in it: **strong words**, [words of a link] and {0}, {1} for what is more than text. So a sentence
 * stays whole in its catalogue, and each language has its own order of words.
 */
export function Rich({
  text,
  link = (words) => words,
  parts = [],
}: {
  text: string;
  link?: (words: string) => ReactNode;
  parts?: ReactNode[];
}) {
  return text.split(/(\*\*[^*]+\*\*|\[[^\]]+\]|\{\d\})/).map((piece, at) => {
    const inner = piece.replace(/^(\*\*|[[{])|(\*\*|[\]}])$/g, '');
    const key = at; // the pieces of one text keep their order
    if (at % 2 === 0) return piece;
    if (piece.startsWith('**')) return <b key={key}>{inner}</b>;
    if (piece.startsWith('[')) return <Fragment key={key}>{link(inner)}</Fragment>;
    return <Fragment key={key}>{parts[Number(inner)]}</Fragment>;
  });
}
