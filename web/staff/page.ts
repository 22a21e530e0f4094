import { createContext, useContext } from 'react';

/** One of the staff's pages: its name and where it begins. */
export type Page = { name: string; home: string };

export const PageContext = createContext<Page | undefined>(undefined);

export function usePage(): Page {
  const page = useContext(PageContext);
  if (!page) throw new Error('This is no page of the staff.');
  return page;
}
