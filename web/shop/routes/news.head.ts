import { pageOfAddress } from '../design/page-of-address';
import { newsTexts } from '../texts/news';
import { type HeadOf, titled } from './head';

export const head: HeadOf = ({ path, search }) => {
  const page = pageOfAddress(search);
  return {
    title: titled(newsTexts.title),
    description: newsTexts.lead,
    path: page > 1 ? `${path}?page=${page}` : path,
  };
};
