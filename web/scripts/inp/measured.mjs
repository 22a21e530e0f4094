import { costs } from './trace.mjs';

/** Collects the events of a page that belong to an interaction: a tap is three of them, a key two. */
function collect() {
  const events = [];
  const keep = (list) => {
    for (const { interactionId, name, startTime, duration, processingStart, processingEnd } of list)
      if (interactionId)
        events.push({ interactionId, name, startTime, duration, processingStart, processingEnd });
  };
  const observer = new PerformanceObserver((list) => keep(list.getEntries()));
  observer.observe({ type: 'event', durationThreshold: 16 });
  window.takeEvents = () => {
    keep(observer.takeRecords());
    return events.splice(0);
  };
}

/** Waits until the page has been idle twice: nothing of an earlier action is left to do. */
function calm() {
  const idle = () => new Promise((done) => requestIdleCallback(done, { timeout: 3000 }));
  return idle()
    .then(() => new Promise((done) => setTimeout(done, 100)))
    .then(idle);
}

/** Waits for the frame that shows the answer, and until its events have been told of. */
function shown() {
  return new Promise((done) =>
    requestAnimationFrame(() =>
      requestAnimationFrame(() => setTimeout(() => done(window.takeEvents()), 150)),
    ),
  );
}

/** The slowest event, apart: what was in its way, the work of all events of its frame, and the frame. */
function slowest(events) {
  const worst = events.reduce((a, b) => (b.duration > a.duration ? b : a));
  const end = worst.startTime + worst.duration;
  // Durations are rounded to 8 ms: events that ended together were shown by the same frame.
  const together = events.filter(
    (event) => Math.abs(event.startTime + event.duration - end) <= 8 && event.processingEnd <= end,
  );
  const worked = Math.max(...together.map(({ processingEnd }) => processingEnd), worst.processingEnd);
  return {
    event: worst.name,
    inp: worst.duration,
    delay: worst.processingStart - worst.startTime,
    processing: worked - worst.processingStart,
    presentation: Math.max(0, end - worked),
  };
}

/** A page on a slow phone, and what each action on it took. */
export class Measured {
  samples = [];

  static async open(browser, context, { cpu, trace }) {
    const measured = new Measured();
    Object.assign(measured, { browser, trace });
    measured.page = await context.newPage();
    await measured.page.addInitScript(collect);
    const session = await context.newCDPSession(measured.page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: cpu });
    return measured;
  }

  /** Opens an address and waits until all of its page is laid out, as it is for shoppers who have looked around. */
  async open(path) {
    await this.page.goto(path);
    await this.settle();
  }

  async settle() {
    const { page } = this;
    await page.waitForLoadState('networkidle');
    await page.mouse.wheel(0, 1);
    await page.waitForFunction(() => 'laidOut' in document.documentElement.dataset);
    await page.evaluate(calm);
  }

  /**
   * Taps an element once it is in sight, nothing lies over it, and nothing else is going on. The tap itself is a bare one:
   * the checks of the driver listen to its events in the page, and would be measured with them.
   */
  async tap(name, target) {
    const element = target.first();
    await element.tap({ trial: true });
    const { x, y, width, height } = await element.boundingBox();
    await this.act(name, () => this.page.touchscreen.tap(x + width / 2, y + height / 2));
  }

  /** Types Latin letters into an element, for others have no keys; the slowest key counts. */
  async type(name, target, text) {
    await target.first().scrollIntoViewIfNeeded();
    await target.first().focus();
    await this.act(name, () => this.page.keyboard.type(text, { delay: 60 }));
  }

  async press(name, key) {
    await this.act(name, () => this.page.keyboard.press(key));
  }

  /** Does something and keeps what it took under its name. */
  async act(name, action) {
    const { page } = this;
    await page.evaluate(calm);
    await page.evaluate(() => window.takeEvents());
    if (this.trace) await this.browser.startTracing(page, { categories: ['devtools.timeline', 'toplevel'] });
    await action();
    const events = await page.evaluate(shown);
    const cost = this.trace ? costs(await this.browser.stopTracing()) : {};
    const least = { event: '', inp: 0, delay: 0, processing: 0, presentation: 0 };
    this.samples.push({ name, ...(events.length > 0 ? slowest(events) : least), ...cost });
  }
}
