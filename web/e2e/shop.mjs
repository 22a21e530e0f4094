import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, rm, statfs, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../../', import.meta.url));
const program = join(root, 'bin/shop');
const run = promisify(execFile);

/** A port that is free now. The shop keeps it over a restart, as its pages in the browser do. */
async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** A letter's text, which travels as quoted-printable. */
const decoded = (letter) =>
  Buffer.from(
    letter
      .replace(/=\r?\n/g, '')
      .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString('utf8');

/** A new folder, in memory where there is room for some shops: their databases write each change through to the disk. */
async function newFolder(name) {
  const memory = '/dev/shm';
  const { bavail = 0, bsize = 0 } = await statfs(memory).catch(() => ({}));
  const folder = await mkdtemp(join(bavail * bsize > 2 ** 31 ? memory : tmpdir(), name));
  // Started as root, the database runs as somebody else, who must be able to come to its data.
  await chmod(folder, 0o755);
  return folder;
}

/** The built program with the demo's catalog, on a data folder and a port of its own. */
export class Shop {
  /** Makes the data folder that each shop begins with a copy of, its past with so many orders; returns the folder around it. */
  static async prepare(orders) {
    const shop = new Shop();
    shop.folder = await newFolder('shop-e2e-demo-');
    await shop.settle('127.0.0.1');
    await shop.run('demo', '--orders', String(orders));
    // All shoppers of the tests are one network, and some are one guest.
    const rules = join(shop.folder, 'rules.json');
    const none = {
      guest_open_orders: 0,
      guest_open_pieces: 0,
      network_open_orders: 0,
      network_open_pieces: 0,
    };
    await writeFile(rules, JSON.stringify(none));
    await shop.run('rules', 'set', rules);
    // Without a server, a command that reads makes the read models.
    await shop.run('stock', 'list', '--limit', '1');
    return shop.folder;
  }

  /** Opens a shop on a copy of what prepare made; named: browsers reach it by a name, which passkeys need. */
  static async open(prepared, { named = false } = {}) {
    const shop = new Shop();
    shop.folder = await newFolder('shop-e2e-');
    // The database's files stay those of its account.
    await run('cp', ['-a', join(prepared, 'data'), shop.folder]);
    await shop.settle(named ? 'localhost' : '127.0.0.1');
    if (named) shop.env.SHOP_PUBLIC_URL = shop.origin;
    process.once('exit', () => shop.server?.kill('SIGTERM'));
    await shop.start();
    // The first page waits for an engine, longer than a page may take when the machine is busy.
    for (let tries = 0; (await fetch(shop.origin)).status !== 200; tries++) {
      if (tries > 240) throw new Error('the shop has no home page');
      await new Promise((passed) => setTimeout(passed, 250));
    }
    return shop;
  }

  /** Chooses the port, and what the program is told by its environment. */
  async settle(host) {
    const port = await freePort();
    this.origin = `http://${host}:${port}`;
    this.env = {
      ...process.env,
      SHOP_ADDR: `127.0.0.1:${port}`,
      SHOP_DATA_DIR: join(this.folder, 'data'),
      SHOP_DATABASE_URL: '',
      SHOP_PUBLIC_URL: '',
      SHOP_LOG_LEVEL: 'warn',
      SHOP_CHECKOUT_RATE: '0',
      SHOP_ORDER_RATE: '0',
      SHOP_NEW_BASKET_RATE: '0',
      SHOP_PAGE_RATE: '0',
      SHOP_READ_RATE: '0',
      SHOP_PROMOCODE_RATE: '0',
      SHOP_ACCOUNT_RATE: '0',
      SHOP_EMAIL_RATE: '0',
      SHOP_REVIEWS_AN_HOUR: '0',
    };
  }

  /** Starts the server and returns when it says that it is ready. */
  async start() {
    const server = spawn(program, ['serve'], {
      cwd: root,
      env: this.env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.server = server;
    let said = '';
    const hear = (chunk) => {
      said += chunk;
    };
    server.stderr.setEncoding('utf8').on('data', hear);
    server.stdout.setEncoding('utf8').on('data', hear);
    await new Promise((ready, failed) => {
      server.stdout.on('data', () => said.includes(' is ready at ') && ready());
      server.once('error', failed);
      server.once('exit', (status) => failed(new Error(`shop serve ended with ${status}: ${said}`)));
    });
    server.removeAllListeners('exit');
  }

  /** Ends the server as a power cut does. */
  async kill() {
    this.server.kill('SIGKILL');
    await once(this.server, 'exit');
  }

  /** Ends the server as an operator does. */
  async stop() {
    if (this.server.exitCode === null && this.server.signalCode === null) {
      this.server.kill('SIGTERM');
      await once(this.server, 'exit');
    }
  }

  /** By how many milliseconds the shop's clock runs ahead. */
  ahead = 0;

  /** Lets days pass: starts the server again with a clock that runs ahead. Command lines have it too. */
  async wait(days) {
    await this.stop();
    this.ahead += days * 86_400_000;
    this.env.SHOP_CLOCK_AHEAD = `${this.ahead}ms`;
    await this.start();
  }

  /** Ends the server and removes its data. */
  async close() {
    await this.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Runs a command line beside the server and returns what it printed. */
  async run(...args) {
    const { stdout } = await run(program, args, { cwd: root, env: this.env });
    return stdout;
  }

  /** Runs a command line that prints JSON. */
  async json(...args) {
    return JSON.parse(await this.run(...args, '--format', 'json'));
  }

  /** Publishes settings: those that are given change, the others stay. */
  async publishSettings(given) {
    const file = join(this.folder, 'settings.json');
    await writeFile(file, JSON.stringify(given));
    await this.run('settings', 'publish', file);
  }

  /** The newest letter to an address with such words in its text, as soon as it is sent; of its text what was matched. */
  async letter(to, words) {
    let said = [];
    for (let tries = 0; tries < 300; tries++) {
      said = await this.letters(to);
      for (const text of said) {
        const found = text.match(words);
        if (found) return found;
      }
      await new Promise((next) => setTimeout(next, 100));
    }
    throw new Error(`none of ${said.length} letters to ${to} says ${words}:\n${said.join('\n\n')}`);
  }

  /** The order as the command line knows it. */
  order(number) {
    return this.json('orders', 'show', String(number));
  }

  async get(path) {
    const response = await fetch(this.origin + path);
    if (!response.ok) throw new Error(`GET ${path}: ${response.status}`);
    return response.json();
  }

  /** The product of an article, with so many pieces to be ordered when a number is given; orders of the past may hold others. */
  async product(article, free) {
    if (free !== undefined) {
      const [{ reserved }] = await this.json('stock', 'list', '--article', article);
      await this.run('stock', 'adjust', '--article', article, '--on-hand', String(free + reserved));
    }
    const found = await this.get(`/api/products/?search=${article}`);
    const product = found.results.find((candidate) => candidate.article === article);
    if (!product) throw new Error(`the demo has no article ${article}`);
    return product;
  }

  /** The letters that went to an address, the newest first. */
  async letters(to) {
    const folder = join(this.env.SHOP_DATA_DIR, 'mail');
    const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.eml'));
    const read = (name) => readFile(join(folder, name), 'latin1');
    const texts = await Promise.all(names.sort().reverse().map(read));
    return texts.filter((text) => text.includes(to)).map(decoded);
  }

  /** Pieces of a product that can be ordered. */
  async amount({ id }) {
    return (await this.get(`/api/products/${id}/stock/`)).amount;
  }
}
