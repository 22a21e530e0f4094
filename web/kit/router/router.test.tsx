import { act, fireEvent, render, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { MemoryRouter } from '../testing/memory-router';
import { BrowserRouter } from './history';
import {
  matchPath,
  Navigate,
  Route,
  Routes,
  useLocation,
  useNavigate,
  useNavigationType,
  useParams,
  useSearchParams,
} from './router';

function Where() {
  const { pathname, search, hash, state } = useLocation();
  const way = useNavigationType();
  return <output>{`${way} ${pathname}${search}${hash} ${JSON.stringify(state)}`}</output>;
}

const said = () => screen.getByRole('status').textContent;

const One = () => <p>{`one ${useParams().id}`}</p>;

function List() {
  const [address, setAddress] = useSearchParams();
  const navigate = useNavigate();
  return (
    <>
      <button type="button" onClick={() => setAddress({ page: '2' }, { replace: true })}>
        {address.get('page') ?? 'none'}
      </button>
      <button
        type="button"
        onClick={() =>
          setAddress((before) => {
            before.set('q', 'мыло');
            return before;
          })
        }
      >
        find
      </button>
      <button type="button" onClick={() => navigate(-1)}>
        back
      </button>
      <Where />
    </>
  );
}

function On() {
  const navigate = useNavigate();
  return (
    <button type="button" onClick={() => navigate('/second?a=b#c', { state: { kept: 1 } })}>
      on
    </button>
  );
}

test.each([
  ['/products/new', 'new'],
  ['/products/soap', 'one soap'],
  ['/Products/soap/', 'one soap'],
  ['/products/%D0%BC%D1%8B%D0%BB%D0%BE', 'one мыло'],
  ['/products/100%', 'one 100%'],
  ['/products', 'list'],
  ['/products/soap/reviews', 'nothing'],
])('at %s the first route that fits is drawn', (path, shown) => {
  render(
    <MemoryRouter initialEntries={[path]}>
      <Routes>
        {['/products'].map((path) => (
          <Route key={path} path={path} element="list" />
        ))}
        <Route path="/products/new" element="new" />
        <Route path="/products/:id" element={<One />} />
        <Route path="*" element="nothing" />
      </Routes>
    </MemoryRouter>,
  );
  expect(document.body.textContent).toBe(shown);
});

test('a pattern is matched without a page as with one', () => {
  expect(matchPath('/categories/:id?', '/categories')?.params.id).toBeUndefined();
  expect(matchPath('/categories/:id?', '/categories')).toBeDefined();
  expect(matchPath('/product/:id', '/product/%D0%BC')?.params.id).toBe('м');
  expect(matchPath('/product/:id', '/product')).toBeUndefined();
  expect(matchPath('/', '/about')).toBeUndefined();
});

test('the query changes in place or as a new entry, from what it is now', () => {
  render(
    <MemoryRouter initialEntries={['/list']}>
      <List />
    </MemoryRouter>,
  );
  fireEvent.click(screen.getByRole('button', { name: 'none' }));
  expect(said()).toBe('REPLACE /list?page=2 null');
  fireEvent.click(screen.getByRole('button', { name: 'find' }));
  expect(said()).toBe('PUSH /list?page=2&q=%D0%BC%D1%8B%D0%BB%D0%BE null');
  fireEvent.click(screen.getByRole('button', { name: 'back' }));
  expect(said()).toBe('POP /list?page=2 null');
});

test('the browser goes along, forth and back, and keeps what was left with an entry', async () => {
  history.replaceState(null, '', '/first');
  const moves: string[] = [];
  render(
    <BrowserRouter onMove={(pathname, search) => moves.push(pathname + search)}>
      <On />
      <Where />
    </BrowserRouter>,
  );
  expect(said()).toBe('POP /first null');
  await act(async () => fireEvent.click(screen.getByRole('button')));
  expect(said()).toBe('PUSH /second?a=b#c {"kept":1}');
  expect(location.pathname + location.search + location.hash).toBe('/second?a=b#c');
  expect(history.state.data).toEqual({ kept: 1 });
  history.replaceState(null, '', '/first');
  await act(async () => dispatchEvent(new PopStateEvent('popstate')));
  expect(said()).toBe('POP /first null');
  expect(moves).toEqual(['/second?a=b', '/first']);
});

test('a redirect takes the place of its own entry', () => {
  render(
    <MemoryRouter initialEntries={['/before', '/old']}>
      <Routes>
        <Route path="/old" element={<Navigate to="/new?x=1" replace />} />
        <Route path="*" element={<Where />} />
      </Routes>
    </MemoryRouter>,
  );
  expect(said()).toBe('REPLACE /new?x=1 null');
});
